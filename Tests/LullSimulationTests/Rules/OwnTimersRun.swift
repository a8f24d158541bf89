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
    case .runKeepAlive: mustRun = true
    case .note(let app?, .timerOverdue(_, let floor?)):
      let least = ledger.policy.timerFloorLeast
      let old = self.floor(app, ledger) ?? .zero
      try require(ledger[app]?.registration.settings.timers == .automatic, "\(app): its floor was asked for")
      try require(floor >= min(old, least) && floor <= old, "\(app): the floor goes to \(floor.seconds) s")
      floors[app] = floor
    case .note(_, .keepAliveDue): mustRun = true
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
