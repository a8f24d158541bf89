import LullEngine

/// "Runs of one handler are never less than 600 s and never more than T apart; the first run after installing
/// may come earlier, so that programs fall into step." Reinstalling and clearing change nothing of this. In
/// the foreground none runs. A sleeping program is not woken before its time, unless another program must run
/// its keep-alive, or be woken for its own timers.
final class KeepAliveGaps: Rule {
  static let name = "keepalive-gaps"
  private var unfrozen: [AppID] = []
  private var isShared = false
  private var early: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    unfrozen.removeAll(keepingCapacity: true)
    isShared = false
    early = nil
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .woke(let app, let wake, _) = effect, wake.reason == .keepalive { unfrozen.append(app) }
    if case .woke(_, let wake, _) = effect, wake.reason == .timer { isShared = true }
    if effect.isFetch { isShared = true }
    if case .note(_, .keepAliveDue) = effect { isShared = true }
    guard case .runKeepAlive(let app, _) = effect, let record = ledger[app] else { return }
    let (now, policy) = (ledger.now, ledger.policy)
    guard record.isBehind, let opens = record.opens(policy), let due = record.due(policy) else {
      throw Violation(rule: Self.name, what: "\(app) has no keep-alive that could run")
    }
    if let last = record.lastRun {
      try require(now - last >= policy.keepAliveMinimum, "\(app): a gap of \((now - last).seconds) s")
    }
    try require(now >= opens, "\(app): runs before its window opens")
    let latest = max(due, record.behindSince) + ledger.lateness
    try require(now <= latest, "\(app): runs \((now - due).seconds) s late")
    if now >= due { isShared = true }
    let alone = unfrozen.contains(app) || record.lastRun == nil ? due : opens
    if now < alone { early = app }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let early, !isShared {
      try require(false, "\(early): runs before its time and no other has to")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records {
      guard let moment = record.runsAlone(ledger.policy) else { continue }
      try require(moment > ledger.now, "\(record.id): its keep-alive did not run")
    }
  }
}

/// "When one must run, every one whose window is open runs with it", also when one program is woken for its
/// timers.
final class SharedWakes: Rule {
  static let name = "shared-wakes"
  private var mustRun = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) { mustRun = false }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .woke(_, let wake, _) = effect, wake.reason == .timer { mustRun = true }
    if effect.isFetch { mustRun = true }
    guard case .runKeepAlive(let app, _) = effect, let due = ledger[app]?.due(ledger.policy) else { return }
    if due <= ledger.now { mustRun = true }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard mustRun else { return }
    for case let record? in ledger.records {
      guard record.isBehind, let opens = record.opens(ledger.policy) else { continue }
      try require(opens > ledger.now, "\(record.id): its window is open and it does not run with the others")
    }
  }
}

/// "The shell arms one timer to `deadline`, and one that resumes the machine to `alarm`." After a tick the
/// deadline lies in the future (no busy loop), and neither is later than the next thing that is due for it
/// (no oversleeping).
final class DeadlineHolds: Rule {
  static let name = "deadline-holds"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let (deadline, alarm) = (step.deadline ?? .never, step.alarm ?? .never)
    try require(deadline <= alarm, "the alarm comes before the deadline")
    if step.isTick { try require(deadline > ledger.now, "the deadline is over after the tick") }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      let due = record.nextDue(ledger.policy, at: ledger.now)
      try require(deadline <= due, "\(snapshot.id) is due \((deadline - due).seconds) s before the deadline")
      let resumes = record.nextAlarm(ledger.policy)
      try require(alarm <= resumes, "\(snapshot.id): the alarm comes \((alarm - resumes).seconds) s late")
    }
    for notice in step.notifications {
      try require(alarm <= notice.fires ?? .never, "\(notice.id) is due before the alarm")
    }
  }
}

extension Record {
  /// The next moment at which something must happen to the program.
  func nextDue(_ policy: Policy, at now: Moment) -> Moment {
    guard !isKilled else { return .never }
    guard isStaying else { return endLimit(policy) }
    var next = min(nextAlarm(policy), messageLimit(policy), taskLimit)
    next = min(next, wake?.ends ?? .never, keepAliveRun?.ends ?? .never, fetch?.ends ?? .never)
    next = min(next, pushes.map(\.ends).min() ?? .never)
    if tasks.contains(where: { !$0.isExpired }) { next = min(next, expiry(policy)) }
    if case .freezing(_, let since) = hold { next = min(next, since + policy.freezeLimit) }
    for case let end? in AudioScope.allCases.map({ ears[$0]?.fades }) where end > now {
      next = min(next, end)
    }
    if mayFreeze, !isHeld, !soundHolds(at: now), forbidding(wake) == nil, forbidding(keepAliveRun) == nil,
      forbidding(fetch) == nil, forbidding(push) == nil
    {
      next = min(next, wait?.by ?? .never)
    }
    return next
  }

  /// The next moment at which something happens to the program also while the machine is suspended, but for
  /// the timers that `OwnTimersRun` and `WakeTimersRun` know.
  func nextAlarm(_ policy: Policy) -> Moment {
    guard !isKilled, isStaying else { return .never }
    var next = min(delayedUntil ?? .never, runsAlone(policy) ?? .never)
    if hold == .frozen, let interval = registration.settings.udpKeepAlive {
      next = min(next, pathsOpened + interval)
    }
    return next
  }

  /// True for a program for whose own timers a suspended machine is resumed.
  var hasConnection: Bool { registration.settings.modes.contains(.voip) && !lines.isEmpty }
}

/// "What waits until the machine is awake does not resume it": a suspended machine is resumed for
/// keep-alives, for the own timers of programs with connections and for wakes that programs asked for, for
/// data whose wake is put off, for paths that are kept open and for notifications alone.
final class ResumesForCause: Rule {
  static let name = "resumes-for-cause"
  private(set) var sightings = 0
  private var asked: [AppID: Moment] = [:]
  private var hasCause = false
  /// True after a step that told of the time for which the machine was suspended. It does what is due, too.
  private var hasStood = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if !hasStood { hasCause = false }
    if case .stoodStill = event { hasStood = true } else { hasStood = false }
    for case let record? in ledger.records where record.nextAlarm(ledger.policy) <= ledger.now {
      hasCause = true
    }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .wakeIn(let app, let time) = ledger.request, case .done = answer else { return }
    asked[app] = time.map { ledger.now + max($0, ledger.policy.wakeTimerMinimum) }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(_, .keepAliveDue), .show, .receive: hasCause = true
    case .note(let app?, .woke(.timer, _)):
      if let record = ledger[app], record.registration.speaks || record.hasConnection { hasCause = true }
    case .checkSignals(let app): if ledger[app]?.hasConnection == true { hasCause = true }
    case .forget(let app): asked[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let due = asked.filter { $0.value <= ledger.now }.map(\.key)
    // Nothing happens to a program that is awake at the moment that it asked for.
    for app in due { (asked[app], hasCause) = (nil, true) }
    guard step.isResumed else { return }
    sightings += 1
    try require(hasCause, "the machine is resumed, and nothing is due that may do so")
  }
}

/// "Run time after a wake: 10 s; grace after a lost connection: 60 s; finite-length tasks: 600 s or 180 s."
/// The leases that `why` prints are those that the trace gave out, and each ends when it must.
final class LeaseTimes: Rule {
  static let name = "lease-times"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      if record.isStaying {
        let expected = expectation(record, ledger)
        let shown = snapshot.leases.filter { $0.kind != .launching && $0.kind != .transition }
        try require(shown == expected, "\(snapshot.id) shows \(shown), not \(expected)")
      }
      let passing = snapshot.leases.first { $0.kind == .launching || $0.kind == .transition }?.kind
      let isPassing = record.message != nil || !record.isStaying
      let kind: LeaseKind? = isPassing ? (record.isLaunched ? .transition : .launching) : nil
      try require(
        passing == kind,
        "\(snapshot.id) shows \(String(describing: passing)), not \(String(describing: kind))")
    }
  }

  private func expectation(_ record: Record, _ ledger: Ledger) -> [Snapshot.Hold] {
    var held: [Snapshot.Hold] = []
    if let wake = record.wake, wake.ends > ledger.now, wake.kind == .wake {
      held.append(Snapshot.Hold(kind: .wake, ends: wake.ends))
    }
    if let run = record.keepAliveRun, run.ends > ledger.now {
      held.append(Snapshot.Hold(kind: .keepalive, ends: run.ends))
    }
    if let fetch = record.fetch, fetch.ends > ledger.now {
      held.append(Snapshot.Hold(kind: .fetch, ends: fetch.ends))
    }
    if let push = record.push, push.ends > ledger.now {
      held.append(Snapshot.Hold(kind: .push, ends: push.ends))
    }
    if record.state == .background, !record.tasks.isEmpty {
      held.append(Snapshot.Hold(kind: .task, ends: record.stayEnds))
    }
    held += record.soundLeases(at: ledger.now)
    if let wake = record.wake, wake.ends > ledger.now, wake.kind == .refill {
      held.append(Snapshot.Hold(kind: .refill, ends: wake.ends))
    }
    return held
  }
}

/// "Expiration handlers 5 s before the end; a task still open at the end: killed." Each open task's handler
/// runs once per stay in the background, not before its time and not after the tick that falls due.
final class TasksExpire: Rule {
  static let name = "tasks-expire"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .expire(let app, let id) = effect, let record = ledger[app] else { return }
    guard let task = record.tasks.first(where: { $0.id == id }) else {
      throw Violation(rule: Self.name, what: "\(app): \(id) expires and is not open")
    }
    try require(!task.isExpired, "\(app): \(id) expires twice")
    try require(record.expiry(ledger.policy) <= ledger.now, "\(app): \(id) expires too early")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard step.isTick else { return }
    for case let record? in ledger.records where record.expiry(ledger.policy) <= ledger.now {
      let isLeft = record.tasks.contains { !$0.isExpired }
      try require(!isLeft, "\(record.id): an expiration handler did not run")
    }
  }
}

extension Record {
  /// The moment at which the expiration handlers of the open tasks run.
  func expiry(_ policy: Policy) -> Moment {
    guard isStaying, !isHeld, !tasks.isEmpty, let stayEnds else { return .never }
    return stayEnds - policy.expirationLead
  }
}

/// "A suspended program gets no message before it is killed." A command knows of no messages, and is asked.
final class QuietKill: Rule {
  static let name = "quiet-kill"
  private var sleeper: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    guard case .transition(let app, .quit) = ledger.request, let record = ledger[app] else { return }
    if record.isHeld, record.isStaying, record.registration.speaks { sleeper = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let sleeper, effect.app == sleeper else { return }
    switch effect {
    case .thaw, .deliver, .woke, .terminate, .action, .open:
      try require(false, "\(sleeper) was asleep when it was quit and gets \(effect)")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let sleeper else { return }
    try require(ledger[sleeper]?.isKilled != false, "\(sleeper) was asleep when it was quit and lives on")
  }
}

/// "`lull quit` on a sleeping command thaws it, sends SIGTERM and gives it 5 s." A command that was asked to
/// end is told once, is never frozen from then on, and ends within its time.
final class QuitEnds: Rule {
  static let name = "quit-ends"
  private(set) var sightings = 0
  /// The command that is quit in this step.
  private var asked: AppID?
  private var tellings = 0
  private var quitting: Set<AppID> = []

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    (asked, tellings) = (nil, 0)
    guard case .transition(let app, .quit) = ledger.request, let record = ledger[app] else { return }
    let registration = record.registration
    if record.isStaying, !registration.speaks, !registration.isUnmanaged { asked = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .terminate(let app) where app == asked: tellings += 1
    case .terminate(let app): try require(!quitting.contains(app), "\(app) is told a second time")
    case .freeze(let app, _), .watch(let app, _, _):
      try require(app != asked && !quitting.contains(app), "\(app) is frozen on its way out")
    case .forget(let app): quitting.remove(app)
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let asked {
      try require(tellings == 1, "\(asked) was quit and is told \(tellings) times")
      try require(ledger[asked]?.isHeld != true, "\(asked) was quit and stays frozen")
      quitting.insert(asked)
      sightings += 1
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where quitting.contains(record.id) && !record.isKilled {
      try require(record.endLimit(ledger.policy) > ledger.now, "\(record.id) was quit and outlives its time")
    }
  }
}
