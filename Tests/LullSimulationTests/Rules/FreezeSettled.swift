import LullEngine

/// "Not frozen within 2 s: write 0 back and record why." Every freeze is confirmed, or undone in the step
/// that refuses it, or undone when its time is up; a program that is let go runs.
final class FreezeSettled: Rule {
  static let name = "freeze-settled"
  private var refused: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    refused = nil
    guard case .freezeRefused(let app, let ticket, _, _, _) = event, let record = ledger[app] else { return }
    if record.isStaying, case .freezing(ticket, _) = record.hold { refused = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .thaw(let app):
      if app == refused { refused = nil }
      try require(ledger[app]?.isHeld != false, "\(app) is thawed while it runs")
    case .forget(let app):
      if case .exited = ledger.event { return }
      try require(ledger[app]?.isHeld != true, "\(app) is forgotten while it is frozen")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let refused { try require(false, "the refused freeze of \(refused) is not undone") }
    guard step.isTick else { return }
    for case let record? in ledger.records where record.isStaying {
      guard case .freezing(_, let since) = record.hold else { continue }
      let limit = since + ledger.policy.freezeLimit
      try require(limit > ledger.now, "the freeze of \(record.id) is pending since \(since.nanoseconds)")
    }
  }
}
