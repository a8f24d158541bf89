import LullEngine

/// "A program may sleep while every thread of it stands in a wait whose condition does not hold": the
/// condition of a thread's wait is false, and what a napping thread may read has been left alone for long.
final class ConditionsFalse: Rule {
  static let name = "conditions-false"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.holds == nil, "\(kernel.app) sleeps with something on \(String(describing: kernel.holds))")
  }
}
