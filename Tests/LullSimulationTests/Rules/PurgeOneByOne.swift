import LullEngine

/// The next program is purged only when the pressure is still there after a while.
final class PurgeOneByOne: Rule {
  static let name = "purge-one-by-one"
  private(set) var sightings = 0
  private var last: Moment?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { last = last.map { $0 + time } }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(_, .purged(held: .some, _)):
      sightings += 1
      if let last {
        try require(ledger.now - last >= ledger.policy.pressure.settling, "two purges follow each other")
      }
      last = ledger.now
    case .note(nil, .pressureRelieved): last = nil
    default: break
    }
  }
}
