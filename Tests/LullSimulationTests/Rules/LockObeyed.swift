import LullEngine

/// Behind the lock, and while the machine is about to sleep, no program is active. A program in the
/// foreground is active unless these or a call are before it.
final class LockObeyed: Rule {
  static let name = "lock-obeyed"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .deliver(let app, .didBecomeActive, _) = effect else { return }
    try require(!ledger.isDark, "\(app) becomes active behind the lock")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let mayCall = ledger.records.contains { $0?.sounds.isEmpty == false }
    for case let record? in ledger.records {
      guard record.registration.speaks, record.isLaunched, record.isStaying, record.message == nil else {
        continue
      }
      if ledger.isDark {
        if record.state == .inactive { sightings += 1 }
        try require(record.state != .active, "\(record.id) is active behind the lock")
      } else if !mayCall {
        try require(record.state != .inactive, "\(record.id) is inactive, and nothing is before it")
      }
    }
  }
}
