/// A limit on the stops of the device that a program may cause while others play.
///
/// A program may do so a few times at once, then only after a pause. A program that asks in a loop is
/// refused.
struct Patience {
  private static let most: Int64 = 3
  /// The nanoseconds without a request that allow one more stop.
  private static let pause: Int64 = 10_000_000_000
  private var left = Patience.most
  private var askedAt: Int64?

  /// Counts a request; true when the device may stop now.
  mutating func grants(now: Int64) -> Bool {
    let pauses = askedAt.map { (now - $0) / Self.pause } ?? 0
    left = min(Self.most, left + pauses)
    askedAt = now
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
