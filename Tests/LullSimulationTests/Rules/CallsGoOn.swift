import LullEngine

/// "A call that a freeze would cut short is looked for before the freeze and forbids it." This holds for
/// every program, also for one that was told to sleep.
final class CallsGoOn: Rule {
  static let name = "calls-go-on"
  private(set) var sightings = 0
  private var isAsked = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isAsked = ledger.isLook(event)
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard isAsked, let seen = step.activity, seen.isInCall else { return }
    sightings += 1
    try require(ledger[seen.app]?.hold == .running, "\(seen.app) is frozen in the middle of a call")
  }
}

extension Ledger {
  /// True for a look that the freeze waits for.
  func isLook(_ event: Event?) -> Bool {
    guard case .looked(let app, let ticket, _) = event, case .freezing(ticket, _)? = self[app]?.hold else {
      return false
    }
    return true
  }
}
