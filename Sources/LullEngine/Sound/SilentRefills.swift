/// The wakes of a program to fill buffers without audible sound. The program sleeps for nine times as long as
/// the fill took, so that a tiny buffer of silence is no way to run.
struct SilentRefills: Sendable {
  /// The cause that counts more stands later.
  enum Cause: Comparable {
    case low
    /// The end of sound for which the program waits.
    case end
    case cut
  }

  /// The cause of a wake that was put off to `next`.
  private(set) var owed: Cause?
  private var wokenAt: Moment?
  private(set) var next = Moment(nanoseconds: .min)
  /// The first and the last session of those that were given up one soon after the other.
  private var cuts: (first: Moment, last: Moment)?

  var due: Moment { owed == nil ? .never : next }

  /// Returns false when the program has had long enough to learn that a session was given up.
  mutating func tellsCut(at now: Moment, _ policy: Policy) -> Bool {
    let isSoon = cuts.map { now - $0.last < policy.silentRefills } ?? false
    let first = isSoon ? cuts?.first ?? now : now
    cuts = (first, now)
    return now - first < policy.silentRefills
  }

  mutating func putOff(_ cause: Cause) { owed = max(owed ?? cause, cause) }

  /// The program runs and fills its buffers itself, or its buffers are checked anew.
  mutating func settled() { owed = nil }

  mutating func woke(at now: Moment, _ policy: Policy) {
    wokenAt = now
    // The bound for a program that never falls asleep by itself.
    next = now + policy.silentRefillTime.scaled(by: policy.silentRefillShare + 1)
  }

  mutating func slept(at now: Moment, _ policy: Policy) {
    guard let wokenAt else { return }
    let taken = min(now - wokenAt, policy.silentRefillTime)
    next = min(next, now + taken.scaled(by: policy.silentRefillShare))
    self.wokenAt = nil
  }

  mutating func standStill(_ time: Interval) {
    wokenAt = wokenAt.map { $0 + time }
    cuts = cuts.map { (first: $0.first + time, last: $0.last + time) }
    next = next + time
  }
}
