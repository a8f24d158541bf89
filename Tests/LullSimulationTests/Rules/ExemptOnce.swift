import LullEngine

/// "A command that dies within it is remembered by its path." A command becomes freeze-exempt exactly when it
/// ended badly, by itself, while it was watched after its trial and nobody had asked anything of it
/// meanwhile.
final class ExemptOnce: Rule {
  static let name = "exempt-once"
  private(set) var sightings = 0
  private var victim: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    victim = nil
    guard case .exited(let app, let status) = event, let record = ledger[app], record.isStaying,
      case .watched(let since) = record.trial, ledger.now - since <= ledger.policy.trialBlame
    else { return }
    switch status {
    case .exited(0), .unknown: break
    case .exited, .signaled: victim = app
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .exempt(let app) = effect else { return }
    try require(app == victim, "\(app) is to be freeze-exempt without a reason")
    victim = nil
    sightings += 1
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let victim { try require(false, "\(victim) died of its trial and is not to be freeze-exempt") }
  }
}
