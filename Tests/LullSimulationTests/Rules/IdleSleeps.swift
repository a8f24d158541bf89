import LullEngine

/// "Run time after a wake: 10 s; ends early on `done`; passed it: frozen." A program in the background that
/// nothing keeps awake is asked to sleep in the same step, unless it waits after a refused freeze.
final class IdleSleeps: Rule {
  static let name = "idle-sleeps"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isIdle(at: ledger.now), !record.isHeld else { continue }
      try require((record.retry ?? ledger.now) > ledger.now, "\(snapshot.id) is idle and stays awake")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where !record.isHeld && record.isIdle(at: ledger.now) {
      try require((record.retry ?? ledger.now) > ledger.now, "\(record.id) is idle after a tick")
    }
  }
}
