import LullEngine

/// "The locks of a sleeper are looked at once, after a second": twice as late after each wake for a lock that
/// the program kept, and after a second again once it has slept on after a look. They are not looked at while
/// the program runs.
final class LocksLookedAt: Rule {
  static let name = "locks-looked-at"
  /// The looks that come early again.
  private(set) var sightings = 0
  private var cares: [AppID: Care] = [:]

  private struct Care {
    /// Wakes for a lock, one after the other.
    var wakes: Int64 = 0
    var hasSleptOn = false
    var isLookedAt = false
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .checkLocks(let app): try looks(app, ledger)
    case .thaw(let app):
      guard let record = ledger[app], record.hold == .frozen, cares[app]?.isLookedAt != true else { return }
      try requireInTime(record, ledger)
    case .note(let app?, .woke(let reason, _)):
      var care = cares[app] ?? Care()
      if reason == .lock {
        care.wakes += 1
      } else if care.isLookedAt {
        (care.wakes, care.hasSleptOn) = (0, care.wakes > 0)
      }
      care.isLookedAt = false
      cares[app] = care
    case .forget(let app): cares[app] = nil
    default: break
    }
  }

  private func looks(_ app: AppID, _ ledger: Ledger) throws(Violation) {
    guard let record = ledger[app], let asleep = record.timeAsleep(at: ledger.now) else {
      throw Violation(rule: Self.name, what: "\(app): its locks are looked at while it runs")
    }
    try require(cares[app]?.isLookedAt != true, "\(app): its locks are looked at twice in a sleep")
    let isEarly = asleep < wait(app, ledger) ?? .zero
    try require(!isEarly, "\(app): its locks are looked at after \(asleep.seconds) s of sleep")
    try requireInTime(record, ledger)
    if cares[app]?.hasSleptOn == true, cares[app]?.wakes == 0 { sightings += 1 }
    cares[app, default: Care()].isLookedAt = true
  }

  private func requireInTime(_ record: Record, _ ledger: Ledger) throws(Violation) {
    guard let asleep = record.timeAsleep(at: ledger.now), let wait = wait(record.id, ledger) else { return }
    let late = wait + record.stoodAsleep + ledger.lateness
    try require(asleep <= late, "\(record.id): its locks are not looked at in \(asleep.seconds) s of sleep")
  }

  private func wait(_ app: AppID, _ ledger: Ledger) -> Interval? {
    ledger.policy.processes.map { $0.lockCheck.doubled(cares[app]?.wakes ?? 0, atMost: $0.lockCheckLast) }
  }
}
