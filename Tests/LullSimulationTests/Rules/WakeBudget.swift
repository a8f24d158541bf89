import LullEngine

/// "Wakes per program: 15 in 300 s: reported with their causes": once when the budget is crossed, and never
/// with a kill.
final class WakeBudget: Rule {
  static let name = "wake-budget"
  private var wasOver: [AppID: Bool] = [:]
  private var crossed: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) { crossed = nil }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke):
      try settle()
      guard let record = ledger[app] else { return }
      let isOver = record.isOverBudget(at: ledger.now, ledger.policy)
      if isOver, wasOver[app] != true { crossed = app }
      wasOver[app] = isOver
    case .note(let app?, .overBudget(let wakes)):
      try require(app == crossed, "\(app) did not cross its budget")
      try require(wakes > ledger.policy.wakeBudget, "\(app): \(wakes) wakes are not over the budget")
      crossed = nil
    case .forget(let app): wasOver[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) { try settle() }

  private func settle() throws(Violation) {
    if let crossed { try require(false, "\(crossed) crossed its budget and nobody says so") }
  }
}
