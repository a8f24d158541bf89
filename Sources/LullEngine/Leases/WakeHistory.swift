struct WakeHistory: Sendable {
  private var recent: [Moment] = []
  private(set) var total = 0
  private(set) var last: Wake?
  private var wasOver = false

  /// Returns true when this wake takes the program over its budget.
  mutating func record(_ wake: Wake, policy: Policy) -> Bool {
    total += 1
    last = wake
    recent.append(wake.moment)
    if recent.count > policy.wakeBudget + 1 { recent.removeFirst() }
    let over = isOver(at: wake.moment, policy: policy)
    defer { wasOver = over }
    return over && !wasOver
  }

  func isOver(at now: Moment, policy: Policy) -> Bool {
    guard recent.count > policy.wakeBudget, let oldest = recent.first else { return false }
    return now - oldest <= policy.wakeBudgetPeriod
  }

  /// The wakes in the period that ends at `now`, counted no further than one over the budget.
  func count(at now: Moment, policy: Policy) -> Int {
    recent.count { now - $0 <= policy.wakeBudgetPeriod }
  }
}
