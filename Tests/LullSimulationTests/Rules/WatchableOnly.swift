import LullEngine

/// "Conditions that nobody can watch forbid sleep": a shared futex, System V, file locks, direct descriptors.
final class WatchableOnly: Rule {
  static let name = "watchable-only"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(kernel.isWatchable, "\(kernel.app) sleeps in a wait that nobody can watch")
  }
}
