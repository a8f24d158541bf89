import LullEngine

/// "The next one of that path is left awake", whatever anybody asks for.
final class ExemptRuns: Rule {
  static let name = "exempt-runs"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect else { return }
    try require(
      ledger[app]?.registration.isFreezeExempt != true, "\(app) is to be freeze-exempt and is frozen")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots where snapshot.state == .background {
      if ledger[snapshot.id]?.registration.isFreezeExempt == true { sightings += 1 }
    }
  }
}
