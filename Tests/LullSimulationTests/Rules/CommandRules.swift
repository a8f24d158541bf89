import LullEngine

/// "Without a mode it is a plain command": a command that nothing could wake sleeps only when it was sent to
/// the background, by whoever started it or by the operator.
final class ToldOnly: Rule {
  static let name = "told-only"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app], !record.registration.speaks,
      record.registration.settings.modes.isDisjoint(with: [.voip, .externalAccessory])
    else { return }
    try require(record.target == .background, "\(app) has no mode, and is frozen without being told")
    sightings += 1
  }
}

/// "The first attempt after the start is the trial: freeze, thaw, watch." The trial is the first complete
/// freeze of a command of which nobody asked anything and that was not there before the supervisor. An
/// observation that found the command busy was a trial as well. There is no second trial.
final class Trials: Rule {
  static let name = "trials"
  private(set) var sightings = 0
  private var isDue: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isDue = nil
    guard case .frozen(let app, let ticket) = event, let record = ledger[app], record.isStaying else {
      return
    }
    if case .freezing(ticket, _) = record.hold, record.isOnTrial { isDue = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .note(let app?, .trialFrozen) = effect else { return }
    try require(app == isDue, "\(app) is tried and that is not due")
    try require(ledger[app]?.isHeld == false, "\(app) is tried and not thawed")
    isDue = nil
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let isDue { try require(false, "\(isDue) sleeps without a trial") }
  }
}

/// "A command that dies within it is remembered by its path." A command becomes freeze-exempt exactly when it
/// ended badly, by itself, while it was watched after its trial and nobody had asked anything of it
/// meanwhile.
final class ExemptOnce: Rule {
  static let name = "exempt-once"
  private(set) var sightings = 0
  private var victim: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    victim = nil
    guard case .exited(let app, let status) = event, let record = ledger[app], record.isStaying,
      case .watched(let since) = record.trial, ledger.now - since <= ledger.policy.trialBlame
    else { return }
    switch status {
    case .exited(0), .unknown: break
    case .exited, .signaled: victim = app
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .exempt(let app) = effect else { return }
    try require(app == victim, "\(app) is to be freeze-exempt without a reason")
    victim = nil
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let victim { try require(false, "\(victim) died of its trial and is not to be freeze-exempt") }
  }
}

/// "The next one of that path is left awake", whatever anybody asks for.
final class ExemptRuns: Rule {
  static let name = "exempt-runs"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect else { return }
    try require(
      ledger[app]?.registration.isFreezeExempt != true, "\(app) is to be freeze-exempt and is frozen")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots where snapshot.state == .background {
      if ledger[snapshot.id]?.registration.isFreezeExempt == true { sightings += 1 }
    }
  }
}

/// "A command may sleep once it is proved idle". The first observation comes when the command has lingered
/// after its start, its keep-alive or somebody's wake, or a moment after what came on a line. It never comes
/// before the time from which the shell said that another observation would be worth while. Only the
/// operator's request comes before all of these.
final class FirstObservation: Rule {
  static let name = "first-observation"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app], record.registration.sleepsByItself,
      let wait = record.wait
    else { return }
    let early = wait.from - ledger.now
    try require(early <= .zero, "\(app) is looked at \(early.seconds) s too early")
    sightings += 1
  }
}

/// "Grace of 60 s when a connection that the program itself opened was lost": the command is thawed if it was
/// frozen, and no observation comes before the grace is over. A command that was asked to end has such a
/// grace to say goodbye, unless the operator suspends it or has it in the foreground meanwhile.
final class HeldUntilExpiry: Rule {
  static let name = "held-until-expiry"
  private(set) var sightings = 0
  private var ends: [AppID: Moment] = [:]
  private var bereft: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    bereft = nil
    switch event {
    case .ready(let app, let line, .closed), .ready(let app, let line, .error):
      if ledger[app]?.isHeld == true { lost(app, line: line, in: ledger) }
    case .lineLost(let app, let line):
      if ledger[app]?.lines.first(where: { $0.id == line })?.hasSlept == true {
        lost(app, line: line, in: ledger)
      }
    case .reconnect(let app, _):
      guard let record = ledger[app], record.registration.settings.modes.contains(.voip),
        record.state == .background || record.state == .suspended
      else { return }
      stays(record, ledger.now + ledger.policy.lostConnectionGrace)
    case .ending(let app):
      guard let record = ledger[app], record.state == .background || record.state == .suspended else {
        return
      }
      stays(record, ledger.now + ledger.policy.endingTime)
    case .stoodStill(let time): ends = ends.mapValues { $0 + time }
    default: break
    }
  }

  private func lost(_ app: AppID, line: LineID, in ledger: Ledger) {
    guard let record = ledger[app], record.lines.first(where: { $0.id == line })?.origin == .opened else {
      return
    }
    stays(record, ledger.now + ledger.policy.lostConnectionGrace)
  }

  private func stays(_ record: Record, _ end: Moment) {
    guard record.registration.sleepsByItself, record.isStaying else { return }
    ends[record.id] = max(end, ends[record.id] ?? end)
    bereft = record.id
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch answer {
    case .registered(let app, _): ends[app] = nil
    case .done:
      guard case .transition(let app, let command) = ledger.request else { return }
      if command == .suspend || command == .foreground { ends[app] = nil }
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(let app, _):
      guard let end = ends.removeValue(forKey: app) else { return }
      try require(end <= ledger.now, "\(app) is frozen \((end - ledger.now).seconds) s before its grace ends")
      sightings += 1
    case .note(let app?, .left), .forget(let app): ends[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let bereft, let record = ledger[bereft] else { return }
    try require(
      !record.isHeld, "\(bereft) lost a connection of its own, or was asked to end, and stays frozen")
  }
}

/// "A command cannot say `done`: it may sleep before its run time is over, once it is proved idle." Until
/// then the run time is shown like any other; the sleep ends it.
final class SoftLeases: Rule {
  static let name = "soft-leases"
  private(set) var sightings = 0
  private var sleeper: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    guard case .frozen(let app, _) = event, let record = ledger[app], record.registration.sleepsByItself
    else {
      return
    }
    if record.holds(record.wake, at: ledger.now) || record.holds(record.keepAliveRun, at: ledger.now) {
      sleeper = app
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.registration.sleepsByItself, record.isStaying else {
        continue
      }
      try check(snapshot, kind: record.wake?.kind ?? .wake, lease: record.wake, in: ledger)
      try check(snapshot, kind: .keepalive, lease: record.keepAliveRun, in: ledger)
      if snapshot.id == sleeper, record.hold == .frozen { sightings += 1 }
    }
  }

  private func check(_ shown: Snapshot, kind: LeaseKind, lease: Record.Lease?, in ledger: Ledger)
    throws(Violation)
  {
    let isShown = shown.leases.contains { $0.kind == kind }
    let isHeld = ledger[shown.id]?.holds(lease, at: ledger.now) == true
    try require(isShown == isHeld, "\(shown.id) shows \(shown.leases), and holds \(kind) is \(isHeld)")
  }
}

/// "While it sleeps the daemon sends CRLFCRLF every S seconds from its UDP sockets": never for a program that
/// runs, which does so itself, never more often, and never later for as long as it sleeps.
final class PathsKept: Rule {
  static let name = "paths-kept"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .keepPathsOpen(let app) = effect, let record = ledger[app] else { return }
    try require(record.hold == .frozen && record.isStaying, "\(app): its paths are kept open while it runs")
    guard let interval = record.registration.settings.udpKeepAlive else {
      throw Violation(rule: Self.name, what: "\(app): nobody asked to keep its paths open")
    }
    let since = ledger.now - record.pathsOpened
    try require(since >= interval, "\(app): its paths are kept open after \(since.seconds) s")
    let due = max(record.pathsOpened + interval, record.asleepSince ?? ledger.now)
    try require(
      ledger.now <= due + ledger.lateness, "\(app): its paths are kept open after \(since.seconds) s")
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard step.isTick, step.isComplete else { return }
    for case let record? in ledger.records where record.hold == .frozen && record.isStaying {
      guard let interval = record.registration.settings.udpKeepAlive else { continue }
      try require(record.pathsOpened + interval > ledger.now, "\(record.id): its paths close")
    }
  }
}
