import LullEngine

/// "Run time after a wake: 10 s; ends early on `done`; passed it: frozen." A program in the background that
/// nothing keeps awake is asked to sleep in the same step, unless it waits after a refused freeze. A command
/// that sleeps by itself is asked again and again, at the latest `idleLast` after a wake or a refusal, or
/// when the shell said that another observation would be worth while.
final class IdleSleeps: Rule {
  static let name = "idle-sleeps"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isIdle(at: ledger.now), !record.isHeld else { continue }
      try require((record.wait?.by ?? ledger.now) > ledger.now, "\(snapshot.id) is idle and stays awake")
    }
    guard step.isTick else { return }
    for case let record? in ledger.records where !record.isHeld && record.isIdle(at: ledger.now) {
      try require((record.wait?.by ?? ledger.now) > ledger.now, "\(record.id) is idle after a tick")
    }
  }
}
