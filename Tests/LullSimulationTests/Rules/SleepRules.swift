import LullEngine

/// "A program stays unfrozen while at least one lease is held." No freeze is asked for under a lease, with a
/// delegate message outstanding, in another state than background, or in the wait after a refused freeze. The
/// run time of a command that sleeps by itself is no such lease.
final class FreezeOnlyIdle: Rule {
  static let name = "freeze-only-idle"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app] else { return }
    try require(record.hold == .running, "\(app) is frozen twice")
    try require(record.state == .background, "\(app) is frozen in state \(record.state)")
    try require(record.isStaying, "\(app) is frozen on its way out")
    try require(
      record.message == nil, "\(app) is frozen before \(record.message?.message.rawValue ?? "") returned")
    try require(record.tasks.isEmpty, "\(app) is frozen with an open task")
    try require(!record.registration.settings.exitsOnSuspend, "\(app) exits where others are suspended")
    guard !record.registration.sleepsByItself else { return }
    try require(!record.holds(record.wake, at: ledger.now), "\(app) is frozen in its run time")
    try require(!record.holds(record.keepAliveRun, at: ledger.now), "\(app) is frozen in its keep-alive")
    try require(!record.holds(record.fetch, at: ledger.now), "\(app) is frozen in its fetch")
    try require(!record.holds(record.push, at: ledger.now), "\(app) is frozen in its push")
    try require(
      (record.wait?.from ?? ledger.now) <= ledger.now, "\(app) is frozen in the wait after a refusal")
  }
}

/// "Run time after a wake: 10 s; ends early on `done`; passed it: frozen." A program in the background that
/// nothing keeps awake is asked to sleep in the same step, unless it waits after a refused freeze. A command
/// that sleeps by itself is asked again and again, at the latest `idleLast` after a wake or a refusal, or
/// when the shell said that another observation would be worth while.
final class IdleSleeps: Rule {
  static let name = "idle-sleeps"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isIdle(at: ledger.now), !record.isHeld else { continue }
      try require((record.wait?.by ?? ledger.now) > ledger.now, "\(snapshot.id) is idle and stays awake")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where !record.isHeld && record.isIdle(at: ledger.now) {
      try require((record.wait?.by ?? ledger.now) > ledger.now, "\(record.id) is idle after a tick")
    }
  }
}

/// "Not frozen within 2 s: write 0 back and record why." Every freeze is confirmed, or undone in the step
/// that refuses it, or undone when its time is up; a program that is let go runs.
final class FreezeSettled: Rule {
  static let name = "freeze-settled"
  private var refused: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    refused = nil
    guard case .freezeRefused(let app, let ticket, _, _, _) = event, let record = ledger[app] else { return }
    if record.isStaying, case .freezing(ticket, _) = record.hold { refused = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .thaw(let app):
      if app == refused { refused = nil }
      try require(ledger[app]?.isHeld != false, "\(app) is thawed while it runs")
    case .forget(let app):
      if case .exited = ledger.event { return }
      try require(ledger[app]?.isHeld != true, "\(app) is forgotten while it is frozen")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let refused { try require(false, "the refused freeze of \(refused) is not undone") }
    guard step.isTick else { return }
    for case let record? in ledger.records where record.isStaying {
      guard case .freezing(_, let since) = record.hold else { continue }
      let limit = since + ledger.policy.freezeLimit
      try require(limit > ledger.now, "the freeze of \(record.id) is pending since \(since.nanoseconds)")
    }
  }
}

/// "Not idle: the program was in the middle of something, or sent a request." A program that speaks while it
/// is frozen or being frozen spoke before the freeze caught it: the freeze is taken back before the answer.
final class SpeakersRun: Rule {
  static let name = "speakers-run"
  private var speaker: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    speaker = nil
    guard let app = said(event) ?? asked(ledger.request), let record = ledger[app],
      record.isStaying, record.isHeld
    else { return }
    speaker = app
  }

  private func said(_ event: Event?) -> AppID? {
    switch event {
    case .did(let app, _), .done(let app, _), .handling(let app, _): app
    default: nil
    }
  }

  private func asked(_ request: Engine.Request?) -> AppID? {
    if case .adopt = request { return nil }
    return request?.asker
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let speaker else { return }
    if case .thaw(speaker) = effect { self.speaker = nil }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let speaker { try require(false, "\(speaker) said something and stays frozen") }
  }
}

/// "The thaw is written first, because the caller waits for it." Nothing is sent to a frozen program.
final class ThawFirst: Rule {
  static let name = "thaw-first"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .deliver(let app, _, _), .woke(let app, _, _), .runKeepAlive(let app, _), .runFetch(let app, _),
      .expire(let app, _),
      .terminate(let app), .warnMemory(let app), .receive(let app, _, _), .action(let app, _, _, _),
      .open(let app, _, _), .push(let app, _, _),
      .interruption(let app, _, _), .route(let app), .changed(let app, _):
      try require(ledger[app]?.isHeld != true, "\(app) is frozen and gets \(effect)")
    case .answerPing(let app, _):
      try require(ledger[app]?.hold == .frozen, "\(app) runs and its ping is answered for it")
    case .order, .freeze, .watch, .thaw, .keepPathsOpen, .compact, .checkLocks, .checkSignals, .weigh,
      .exempt, .kill, .show, .withdraw, .record, .drop, .launch, .giveUpLaunch, .recordInstalled, .forget,
      .measure, .recordPermission,
      .restPressure, .keepLines, .note:
      break
    }
  }
}

/// "Wakes per program: 15 in 300 s: reported with their causes": once when the budget is crossed, and never
/// with a kill.
final class WakeBudget: Rule {
  static let name = "wake-budget"
  private var wasOver: [AppID: Bool] = [:]
  private var crossed: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) { crossed = nil }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke):
      try settle()
      guard let record = ledger[app] else { return }
      let isOver = record.isOverBudget(at: ledger.now, ledger.policy)
      if isOver, wasOver[app] != true { crossed = app }
      wasOver[app] = isOver
    case .note(let app?, .overBudget(let wakes)):
      try require(app == crossed, "\(app) did not cross its budget")
      try require(wakes > ledger.policy.wakeBudget, "\(app): \(wakes) wakes are not over the budget")
      crossed = nil
    case .forget(let app): wasOver[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) { try settle() }

  private func settle() throws(Violation) {
    if let crossed { try require(false, "\(crossed) crossed its budget and nobody says so") }
  }
}

/// "At least one real ping every 600 s reaches the program." A ping is answered for a program only while the
/// program sleeps by its own `done`, no longer than the limit after the line's last real wake and no more
/// often than so many times in a period. Then it is always answered so.
final class OffloadLimit: Rule {
  static let name = "offload-limit"
  private var answerable: (app: AppID, line: LineID)?
  private var isAnswered = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    answerable = nil
    isAnswered = false
    guard case .ready(let app, let id, .ping) = event, let record = ledger[app], record.isStaying,
      record.hold == .frozen, record.isAtMessageBoundary,
      let line = record.lines.first(where: { $0.id == id })
    else { return }
    if !line.offload.isEmpty, ledger.now - line.lastReal < ledger.policy.offloadLimit,
      !isSpent(line, ledger)
    {
      answerable = (app, id)
    }
  }

  /// True when the period has no answers left. A period begins with the first answer after the period before.
  private func isSpent(_ line: Record.Line, _ ledger: Ledger) -> Bool {
    let period = ledger.policy.answerPeriod
    var began = Moment(nanoseconds: .min), count = 0
    for answer in line.answers {
      if began == Moment(nanoseconds: .min) || answer - began >= period { (began, count) = (answer, 0) }
      count += 1
    }
    return count >= ledger.policy.answersPerPeriod && ledger.now - began < period
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .answerPing(let app, let line) = effect else { return }
    guard let answerable, answerable == (app, line) else {
      throw Violation(
        rule: Self.name, what: "\(app): a ping on \(line) is answered that the program must see")
    }
    isAnswered = true
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let answerable else { return }
    try require(isAnswered, "\(answerable.app) is woken for a ping that could be answered for it")
  }
}
