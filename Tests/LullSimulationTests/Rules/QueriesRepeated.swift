import LullEngine

/// "While a UDP socket is new and a thread waits with a time-out up to about 30 s, that time-out must run out
/// once": the answer may be lost, and a sleeper does not ask again.
final class QueriesRepeated: Rule {
  static let name = "queries-repeated"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.query == nil,
      "\(kernel.app) sleeps and its query on \(String(describing: kernel.query)) may be lost")
  }
}
