/// The time in which a program that begins to play need not be audible yet. A grace without audible sound
/// doubles the time until the next grace.
struct StartGrace: Sendable {
  private(set) var ends: Moment?
  /// The beginning of the last grace that counts, and the time after it in which there is no other.
  private var last: (began: Moment, period: Interval)?
  /// The last time that the program was left awake because it opened a session.
  private var lingered: Moment?

  func isGiven(at now: Moment) -> Bool { ends.map { $0 > now } ?? false }

  /// Returns false when no grace is given. A grace with `isFree` wins nothing, so it does not count.
  mutating func begin(isFree: Bool, at now: Moment, _ rule: AudibilityPolicy) -> Bool {
    if !isFree {
      if let last, now - last.began < last.period { return false }
      let longer = min(last?.period.scaled(by: 2) ?? rule.startGracePeriod, rule.startGracePeriodMaximum)
      last = (now, longer)
    }
    ends = now + rule.startGrace
    return true
  }

  /// A program that opens a session is left awake for a while, but not again and again unless its sound is
  /// audible.
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
