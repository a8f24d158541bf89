/// How long to wait before something that ended is started again, in nanoseconds: not at all the first time,
/// then twice as long after each life that was short.
struct Backoff: Sendable {
  static let first: Int64 = 50_000_000
  static let last: Int64 = 30_000_000_000
  static let shortLife: Int64 = 1_000_000_000

  private var wait: Int64 = 0

  /// The wait after a life of so many nanoseconds.
  mutating func next(after life: Int64) -> Int64 {
    if life >= Self.shortLife { wait = 0 }
    defer { wait = wait == 0 ? Self.first : min(2 * wait, Self.last) }
    return wait
  }
}
