/// Time asleep and awake.
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
