/// How often something may be done: some at once, then so many in a second. Moments are nanoseconds.
struct RateLimit {
  private let interval: Int64
  private let burst: Int64
  /// The moment at which nothing of the limit is used.
  private var restedAt: Int64 = 0

  /// A limit that nothing of is used; as many at once as in a second.
  init(perSecond: Int64) {
    interval = 1_000_000_000 / perSecond
    burst = 1_000_000_000
  }

  /// The moment from which on the next one may be done.
  var next: Int64 { restedAt + interval - burst }

  /// Uses one; false when it may not be done yet.
  mutating func take(at now: Int64) -> Bool {
    guard next <= now else { return false }
    restedAt = max(restedAt, now) + interval
    return true
  }
}
