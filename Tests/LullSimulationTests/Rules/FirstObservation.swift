import LullEngine

/// "A command may sleep once it is proved idle". The first observation comes when the command has lingered
/// after its start, its keep-alive or somebody's wake, or a moment after what came on a line. It never comes
/// before the time from which the shell said that another observation would be worth while. Only the
/// operator's request comes before all of these.
final class FirstObservation: Rule {
  static let name = "first-observation"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app], record.registration.sleepsByItself,
      let wait = record.wait
    else { return }
    let early = wait.from - ledger.now
    try require(early <= .zero, "\(app) is looked at \(early.seconds) s too early")
    sightings += 1
  }
}
