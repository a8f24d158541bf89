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
    try require(
      (record.wait?.from ?? ledger.now) <= ledger.now, "\(app) is frozen in the wait after a refusal")
  }
}
