import LullEngine

/// "The first attempt after the start is the trial: freeze, thaw, watch." The trial is the first complete
/// freeze of a command of which nobody asked anything and that was not there before the supervisor. An
/// observation that found the command busy was a trial as well. There is no second trial.
final class Trials: Rule {
  static let name = "trials"
  private(set) var sightings = 0
  private var isDue: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isDue = nil
    guard case .frozen(let app, let ticket) = event, let record = ledger[app], record.isStaying else {
      return
    }
    if case .freezing(ticket, _) = record.hold, record.isOnTrial { isDue = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .note(let app?, .trialFrozen) = effect else { return }
    try require(app == isDue, "\(app) is tried and that is not due")
    try require(ledger[app]?.isHeld == false, "\(app) is tried and not thawed")
    isDue = nil
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let isDue { try require(false, "\(isDue) sleeps without a trial") }
  }
}
