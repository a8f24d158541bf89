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

struct Account: Sendable {
  private(set) var asleep = Interval.zero
  private(set) var awake = Interval.zero
  private(set) var lastSleep: Moment?
  private var since: Moment
  private var isAsleep = false

  init(since: Moment) { self.since = since }

  mutating func turn(asleep next: Bool, at now: Moment) {
    if isAsleep { asleep = asleep + (now - since) } else { awake = awake + (now - since) }
    since = now
    if next, !isAsleep { lastSleep = now }
    isAsleep = next
  }
}
