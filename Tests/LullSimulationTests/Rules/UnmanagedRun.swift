import LullEngine

/// "Shown under its own name, and never put to sleep": an unmanaged client is in the foreground for good, and
/// gone when it says goodbye.
final class UnmanagedRun: Rule {
  static let name = "unmanaged-run"
  private(set) var sightings = 0
  private var leaver: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    leaver = nil
    if case .leave(let app) = event, ledger[app]?.registration.isUnmanaged == true { leaver = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(let app, _), .deliver(let app, _, _), .terminate(let app), .woke(let app, _, _):
      try require(
        ledger[app]?.registration.isUnmanaged != true, "\(app) is an unmanaged client and gets \(effect)")
    case .forget(leaver): leaver = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let leaver { try require(false, "\(leaver) is an unmanaged client that left, and is still there") }
    for snapshot in step.snapshots where ledger[snapshot.id]?.registration.isUnmanaged == true {
      sightings += 1
      try require(snapshot.state == .active, "\(snapshot.id) is an unmanaged client and \(snapshot.state)")
    }
  }
}
