/// The time in which what a program begins to play need not be heard yet. A grace in which nothing was heard doubles
/// the time until the next one.
struct StartGrace: Sendable {
  private(set) var ends: Moment?
  /// When the last one began that counts, and how long after it there is none.
  private var last: (began: Moment, period: Interval)?
  /// When the program was last left awake because it opened a session.
  private var lingered: Moment?

  func isGiven(at now: Moment) -> Bool { ends.map { $0 > now } ?? false }

  /// Whether it is given. `isFree`: nothing is won by it, so it counts for nothing.
  mutating func begin(isFree: Bool, at now: Moment, _ rule: AudibilityPolicy) -> Bool {
    if !isFree {
      if let last, now - last.began < last.period { return false }
      let longer = min(last?.period.scaled(by: 2) ?? rule.startGracePeriod, rule.startGracePeriodMaximum)
      last = (now, longer)
    }
    ends = now + rule.startGrace
    return true
  }

  /// Whether a program that opens a session is left awake for a while: not again and again, unless it is
  /// heard.
  mutating func lingers(at now: Moment, _ rule: AudibilityPolicy) -> Bool {
    if let lingered, now - lingered < rule.startGracePeriod { return false }
    lingered = now
    return true
  }

  mutating func wasHeard() { (last, lingered) = (nil, nil) }

  mutating func fade(at now: Moment) {
    if let ends, ends <= now { self.ends = nil }
  }

  mutating func standStill(_ time: Interval) { ends = ends.map { $0 + time } }
}
