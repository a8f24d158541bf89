import LullEngine

/// "Shown under its own name, and never put to sleep": a program that is only heard through Lull is in the foreground
/// for good, and gone when it says goodbye.
final class GuestsRun: Rule {
  static let name = "guests-run"
  private(set) var sightings = 0
  private var leaver: AppID?

  func event(_ event: Event, _ ledger: Ledger) throws(Violation) {
    leaver = nil
    if case .leave(let app) = event, ledger[app]?.registration.isGuest == true { leaver = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(let app, _), .deliver(let app, _, _), .terminate(let app), .woke(let app, _, _):
      try require(ledger[app]?.registration.isGuest != true, "\(app) is a guest and gets \(effect)")
    case .forget(leaver): leaver = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let leaver { try require(false, "\(leaver) is a guest that left, and is still there") }
    for snapshot in step.snapshots where ledger[snapshot.id]?.registration.isGuest == true {
      sightings += 1
      try require(snapshot.state == .active, "\(snapshot.id) is a guest and \(snapshot.state)")
    }
  }
}
