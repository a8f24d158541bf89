import LullEngine

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
