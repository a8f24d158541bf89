/// The seconds that ended in the frames that the meter was given, the oldest first; of more than 64 the
/// last 64.
public struct MeteredSeconds: Sequence, IteratorProtocol, Equatable, Sendable {
  /// How many seconds are in it.
  public private(set) var count = 0
  /// The newest in bit 0.
  private var bits: UInt64 = 0

  /// None.
  public init() {}

  mutating func append(audible: Bool) {
    bits = bits << 1 | (audible ? 1 : 0)
    count = Swift.min(count + 1, 64)
  }

  /// Whether the oldest of them was audible, which is then taken out; nil when there is none.
  public mutating func next() -> Bool? {
    guard count > 0 else { return nil }
    count -= 1
    return bits >> UInt64(count) & 1 == 1
  }
}
