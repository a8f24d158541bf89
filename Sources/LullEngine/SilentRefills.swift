/// How often a program is woken to fill buffers that nobody hears: it sleeps for nine times as long as that took, so
/// that a tiny buffer of silence is no way to run.
struct SilentRefills: Sendable {
  /// A wake was put off to `next`.
  private var isOwed = false
  /// It was put off from the end of sound for which the program waits.
  private(set) var owesEnd = false
  private var wokenAt: Moment?
  private(set) var next = Moment(nanoseconds: .min)

  /// When a wake that was put off is due.
  var due: Moment { isOwed ? next : .never }

  mutating func putOff(end: Bool) {
    isOwed = true
    if end { owesEnd = true }
  }

  /// The program runs, and sees for itself; or it is asked anew what it needs.
  mutating func settled() { (isOwed, owesEnd) = (false, false) }

  mutating func woke(at now: Moment, _ policy: Policy) {
    wokenAt = now
    // If it never falls asleep by itself.
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
    next = next + time
  }
}
