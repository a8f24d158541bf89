import LullEngine

/// "The next one of that path is left awake": whatever anybody asks for.
final class SparedRuns: Rule {
  static let name = "spared-runs"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect else { return }
    try require(ledger[app]?.registration.isSpared != true, "\(app) is to be spared and is frozen")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots where snapshot.state == .background {
      if ledger[snapshot.id]?.registration.isSpared == true { sightings += 1 }
    }
  }
}
