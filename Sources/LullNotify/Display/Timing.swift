/// When something is tried again: the wait doubles with each try. Moments are nanoseconds.
struct Retry {
  private static let first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000

  private var wait = Retry.first
  private(set) var due: Int64?

  mutating func plan(at now: Int64) {
    guard due == nil else { return }
    due = now + wait
    wait = min(2 * wait, Self.longest)
  }

  mutating func take(at now: Int64) -> Bool {
    guard let planned = due, planned <= now else { return false }
    due = nil
    return true
  }

  /// The next wait is the first one again; what is planned stays.
  mutating func rest() { wait = Self.first }
}

/// How often something may be done: some at once, then so many in a second. Moments are nanoseconds.
struct RateLimit {
  private let interval: Int64
  private let burst: Int64
  /// From this moment on nothing of the limit is used.
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
