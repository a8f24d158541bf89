import LullEngine

/// "A command may sleep once it is proved idle": it is looked at first when it has lingered after its start, its
/// keep-alive or somebody's wake, a moment after what came on a line, and never before the shell said that another
/// look would be worth while. Only the operator's word comes before all of these.
final class FirstLook: Rule {
  static let name = "first-look"
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
