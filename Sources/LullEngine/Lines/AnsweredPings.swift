struct AnsweredPings: Sendable {
  private(set) var count = 0
  /// True when no ping has been answered since the line last woke the program.
  var isNews = true
  private var periodBegan: Moment?
  private var inPeriod = 0

  func isSpent(at now: Moment, policy: Policy) -> Bool {
    guard let periodBegan, now - periodBegan < policy.answerPeriod else { return false }
    return inPeriod >= policy.answersPerPeriod
  }

  mutating func add(at now: Moment, policy: Policy) {
    count += 1
    isNews = false
    if let periodBegan, now - periodBegan < policy.answerPeriod {
      inPeriod += 1
    } else {
      (periodBegan, inPeriod) = (now, 1)
    }
  }
}
