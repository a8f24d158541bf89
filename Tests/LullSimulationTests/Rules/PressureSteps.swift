import LullEngine

/// "When nothing is left that may be purged the triggers rest, twice as long each time": and briefly again
/// once something was purged. A program is purged after the sizes that were asked for last, not after those
/// of an earlier question, which come late.
final class PressureSteps: Rule {
  static let name = "pressure-steps"
  /// The short rests after longer ones.
  private(set) var sightings = 0
  private var rest: Interval?
  private var hasPurged = false
  private var asked: Ticket?

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .measure(_, let ticket): asked = ticket
    case .note(_, .purged(held: .some, _)):
      if case .sizes(let ticket, _) = ledger.event {
        try require(ticket == asked, "a program is purged after sizes that nobody waits for any more")
      }
      (rest, hasPurged) = (nil, true)
    case .restPressure(_, let next): try rests(next, ledger.policy.pressure)
    case .note(nil, .pressureRelieved): (rest, hasPurged) = (nil, false)
    default: break
    }
  }

  private func rests(_ next: Interval, _ policy: PressurePolicy) throws(Violation) {
    let due = rest.map { min($0.scaled(by: 2), policy.restLast) } ?? policy.restFirst
    try require(next == due, "the triggers rest for \(next.seconds) s, not for \(due.seconds) s")
    if rest == nil, hasPurged { sightings += 1 }
    rest = next
  }
}
