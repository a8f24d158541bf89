import LullEngine

/// "When one must run, every one whose window is open runs with it", also when one program is woken for its
/// timers.
final class SharedWakes: Rule {
  static let name = "shared-wakes"
  private var mustRun = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) { mustRun = false }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .woke(_, let wake, _) = effect, wake.reason == .timer { mustRun = true }
    guard case .runKeepAlive(let app, _) = effect, let due = ledger[app]?.due(ledger.policy) else { return }
    if due <= ledger.now { mustRun = true }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard mustRun else { return }
    for case let record? in ledger.records {
      guard record.isBehind, let opens = record.opens(ledger.policy) else { continue }
      try require(opens > ledger.now, "\(record.id): its window is open and it does not run with the others")
    }
  }
}
