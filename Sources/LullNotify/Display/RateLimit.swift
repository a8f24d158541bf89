/// How often something may be done: some at once, then so many in a second. Moments are nanoseconds.
struct RateLimit {
  private let interval: Int64
  private let burst: Int64
  /// The moment at which nothing of the limit is used.
  private var restedAt: Int64 = 0

  /// As many may be done at once as in a second.
  init(perSecond: Int64) {
    interval = 1_000_000_000 / perSecond
    burst = 1_000_000_000
  }

  var next: Int64 { restedAt + interval - burst }

  mutating func take(at now: Int64) -> Bool {
    guard next <= now else { return false }
    restedAt = max(restedAt, now) + interval
    return true
  }
}
