import LullEngine

/// "And at least one of these conditions can come true from outside": eventfds, pipes with both ends inside
/// and connections that have ended wake nobody. What is run for its sound alone needs nothing outside.
final class WakeableOnly: Rule {
  static let name = "wakeable-only"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, let record = ledger[kernel.app], record.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.canWake || record.isForSound, "\(kernel.app) sleeps and nothing outside can wake it")
  }
}
