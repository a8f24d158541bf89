/// How often a program may make the device stop while others are heard.
///
/// A few times at once; then only after it has not asked for a while. So one that asks in a loop is refused.
struct Patience {
  private static let most: Int64 = 3
  /// Nanoseconds without asking for each time more.
  private static let pause: Int64 = 10_000_000_000
  private var left = Patience.most
  private var askedAt: Int64?

  /// Whether the device may stop now.
  mutating func grants(now: Int64) -> Bool {
    let pauses = askedAt.map { (now - $0) / Self.pause } ?? 0
    left = min(Self.most, left + pauses)
    askedAt = now
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
