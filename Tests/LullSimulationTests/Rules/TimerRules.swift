import LullEngine

/// "The sleeper is woken when an own timer is due, at most once in so many seconds, in step with other
/// wakes": never later than the floor or the due time, whichever is later, and never at all when the rule is
/// `never`. Time-outs below a second do not count. The floor is lowered when a peer ends a connection while a
/// timer is overdue.
final class OwnTimersRun: Rule {
  static let name = "own-timers-run"
  private(set) var sightings = 0
  /// The first timer at the last observation, and the first timer of each program that sleeps.
  private var seen: [AppID: Moment] = [:], due: [AppID: Moment] = [:]
  private var floors: [AppID: Interval] = [:], bases: [AppID: Moment] = [:]
  /// The time-outs that the last sleep cut off, and whether the sleep before it had cut off one of them.
  private var cutOff: [AppID: (anew: [Interval], again: Bool)] = [:]
  /// True when some program is woken in this step, or runs its keep-alive, because it must.
  private var mustRun = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    mustRun = false
    switch event {
    case .observed(let app, let ticket, let observation):
      guard let record = ledger[app], case .freezing(ticket, _) = record.hold else { return }
      let first = observation.ownTimers(ledger.policy).first
      seen[app] = record.registration.sleepsByItself ? first.map { ledger.now + $0.left } : nil
    case .frozen(let app, let ticket):
      guard let record = ledger[app], record.isStaying, case .freezing(ticket, _) = record.hold else {
        return
      }
      due[app] = record.isOnTrial ? nil : seen[app]
      if record.isOnTrial { return }
      let earlier = cutOff[app]?.anew ?? []
      cutOff[app] = (record.anew, record.anew.contains { earlier.contains($0) })
      // A time-out that stands still is late by the whole sleep.
      guard due[app] != nil, let floor = floor(app, ledger), record.owed > floor,
        record.owed <= ledger.policy.lostConnectionGrace
      else { return }
      due[app] = ledger.now + floor
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .runKeepAlive, .runFetch: mustRun = true
    case .note(let app?, .timerOverdue(_, let floor?)):
      let least = ledger.policy.timerFloorLeast
      let old = self.floor(app, ledger) ?? .zero
      try require(ledger[app]?.registration.settings.timers == .automatic, "\(app): its floor was asked for")
      try require(floor >= min(old, least) && floor <= old, "\(app): the floor goes to \(floor.seconds) s")
      floors[app] = floor
    case .note(_, .keepAliveDue), .note(_, .fetchDue): mustRun = true
    case .woke(let app, let wake, _) where wake.reason == .timer && speaks(app, ledger): mustRun = true
    case .note(let app?, .woke(let reason, _)):
      if reason == .timer, !speaks(app, ledger) { try check(app, ledger) }
      if reason == .timer || cutOff[app]?.again != true { bases[app] = ledger.now }
      due[app] = nil
    case .forget(let app):
      (due[app], seen[app], floors[app], bases[app], cutOff[app]) = (nil, nil, nil, nil, nil)
    default: break
    }
  }

  /// True for a program on the library, which is woken when it asked for it.
  private func speaks(_ app: AppID, _ ledger: Ledger) -> Bool { ledger[app]?.registration.speaks == true }

  private func check(_ app: AppID, _ ledger: Ledger) throws(Violation) {
    guard let due = due[app], let floor = floor(app, ledger) else {
      throw Violation(rule: Self.name, what: "\(app) is woken for a timer that it has not")
    }
    let since = ledger.now - base(app, ledger)
    try require(due <= ledger.now, "\(app) is woken for a timer that is not due")
    let least = mustRun ? floor.scaled(by: 3, over: 4) : floor
    try require(since >= least, "\(app) is woken for its timers after \(since.seconds) s")
    mustRun = true
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, record.hold == .frozen,
        let due = due[record.id], let floor = floor(record.id, ledger)
      else { continue }
      let latest = max(due, base(record.id, ledger) + floor)
      try require(step.deadline ?? .never <= latest, "\(record.id): its timer is due before the deadline")
      let isAlarm = record.hasConnection
      try require(!isAlarm || step.alarm ?? .never <= latest, "\(record.id): its timer resumes no machine")
      guard step.isTick else { continue }
      try require(latest > ledger.now, "\(record.id) sleeps over its timer")
    }
  }

  private func base(_ app: AppID, _ ledger: Ledger) -> Moment {
    bases[app] ?? ledger[app]?.registeredAt ?? ledger.now
  }

  private func floor(_ app: AppID, _ ledger: Ledger) -> Interval? {
    if let floor = floors[app] { return floor }
    switch ledger[app]?.command?.settings.timers ?? ledger[app]?.registration.settings.timers {
    case .automatic: return ledger.policy.timerFloor
    case .floor(let floor): return max(floor, ledger.policy.timerFloorMinimum)
    case .never, nil: return nil
    }
  }
}

/// "What begins anew after each thaw runs out once": after the wake for such a time-out a command sleeps
/// again only when it has been awake for all of it, or waits for another one.
final class CutOffsRunOut: Rule {
  static let name = "cut-offs-run-out"
  private(set) var sightings = 0
  private struct Sleep {
    let anew: [Interval]
    let begin: Moment
  }
  private var sleeps: [AppID: Sleep] = [:]
  private var woken: [AppID: (cut: [Interval], since: Moment)] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { woken = woken.mapValues { ($0.cut, $0.since + time) } }
    switch (event, ledger.request) {
    case (.leave(let app), _), (_, .transition(let app, _)), (_, .adopt(let app, _)): woken[app] = nil
    default: break
    }
    guard case .frozen(let app, let ticket) = event, let record = ledger[app], record.isStaying,
      case .freezing(ticket, _) = record.hold
    else { return }
    sleeps[app] = Sleep(anew: record.anew, begin: ledger.now)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke(let reason, _)):
      let sleep = sleeps[app] ?? Sleep(anew: [], begin: ledger.now)
      let cut = sleep.anew.filter { reason == .timer && sleep.begin + $0 <= ledger.now }
      woken[app] = cut.isEmpty ? nil : (cut, ledger.now)
    case .watch(let app, _, _):
      guard let record = ledger[app], let (cut, since) = woken[app] else { return }
      for timeOut in record.anew where cut.contains(timeOut) {
        let time = ledger.now - since
        try require(time >= timeOut, "\(app): \(timeOut.seconds) s are cut off after \(time.seconds) s")
        sightings += 1
      }
      woken[app] = nil
    case .forget(let app): (sleeps[app], woken[app]) = (nil, nil)
    default: break
    }
  }
}

/// "What is left of select(2) stands still": after the wake for such a time-out a command is left awake until
/// the time-out has run out, at most for the grace of a lost connection, unless somebody says otherwise.
final class StandingTimersEnd: Rule {
  static let name = "standing-timers-end"
  private(set) var sightings = 0
  private var awakeUntil: [AppID: Moment] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { awakeUntil = awakeUntil.mapValues { $0 + time } }
    switch (event, ledger.request) {
    case (.leave(let app), _), (_, .transition(let app, _)), (_, .adopt(let app, _)): awakeUntil[app] = nil
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke(let reason, _)):
      guard reason == .timer, let owed = ledger[app]?.owed, owed > .zero else { return awakeUntil[app] = nil }
      awakeUntil[app] = ledger.now + min(owed, ledger.policy.lostConnectionGrace)
    case .freeze(let app, _):
      guard let until = awakeUntil[app] else { return }
      awakeUntil[app] = nil
      try require(ledger.now >= until, "\(app): its timer has \((until - ledger.now).seconds) s left")
      sightings += 1
    case .forget(let app): awakeUntil[app] = nil
    default: break
    }
  }
}

/// A program that asked for a wake is woken at that moment when it sleeps, once, and not before.
final class WakeTimersRun: Rule {
  static let name = "wake-timers-run"
  private(set) var sightings = 0
  private var due: [AppID: Moment] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .wakeIn(let app, let time) = ledger.request, case .done = answer else { return }
    due[app] = time.map { ledger.now + max($0, ledger.policy.wakeTimerMinimum) }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .woke(let app, let wake, _) where wake.reason == .timer && ledger[app]?.registration.speaks == true:
      guard let moment = due[app] else { return try require(false, "\(app) is woken and did not ask for it") }
      try require(moment <= ledger.now, "\(app) is woken \((moment - ledger.now).seconds) s before its time")
      due[app] = nil
      sightings += 1
    case .note(let app?, .left), .forget(let app): due[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let moment = due[snapshot.id], let record = ledger[snapshot.id], record.isStaying else {
        continue
      }
      let isAsleep = record.hold == .frozen
      if isAsleep { try require(step.alarm ?? .never <= moment, "\(record.id): its wake is forgotten") }
      guard moment <= ledger.now else { continue }
      try require(!isAsleep, "\(record.id) sleeps over the wake that it asked for")
      due[record.id] = nil
    }
  }
}

/// "At the floor, and in any turn that comes anyway, the signals of a sleeper with hidden timers are looked
/// at": nobody sleeps over an alarm for longer than the floor of its timers, and no look comes to a program
/// that runs, or soon after another one.
final class AlarmsHeard: Rule {
  static let name = "alarms-heard"
  private(set) var sightings = 0
  private var looked: [AppID: Moment] = [:]
  /// The end of the last time in which nothing could run.
  private var stoodStill: Moment?

  func event(_ event: Event?, _ ledger: Ledger) {
    if case .stoodStill = event { stoodStill = ledger.now }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .checkSignals(let app):
      try require(ledger[app]?.hold == .frozen, "\(app): its signals are looked at while it runs")
      let since = looked[app].map { ledger.now - $0 }
      let least = min(ledger.policy.signalLook, ledger.policy.timerFloorMinimum, ledger.policy.timerFloor)
      try require(since.map { $0 >= least } ?? true, "\(app): its signals are looked at twice")
      looked[app] = ledger.now
    case .thaw(let app), .forget(let app): looked[app] = nil
    case .woke(_, let wake, _) where wake.reason == .signal: sightings += 1
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for alarm in step.rung {
      guard let record = ledger[alarm.app], record.isStaying, record.hold == .frozen,
        let floor = record.registration.settings.timers.floor(ledger.policy)
      else { continue }
      let since = max(alarm.since, record.asleepSince ?? alarm.since)
      let slept = ledger.now - max(since, stoodStill ?? since)
      try require(
        slept <= floor + alarm.patience, "\(alarm.app) sleeps over an alarm for \(slept.seconds) s")
    }
  }
}

extension TimerRule {
  /// The longest floor; nil for a program that is never woken for its timers.
  fileprivate func floor(_ policy: Policy) -> Interval? {
    switch self {
    case .automatic: policy.timerFloor
    case .floor(let floor): max(floor, policy.timerFloorMinimum)
    case .never: nil
    }
  }
}
