public import LullEngine

/// The tenths of a second that ended in the frames that the meter was given, the oldest first; of more than 64
/// with sound in them the last 64.
public struct MeteredTenths: Sequence, IteratorProtocol, Equatable, Sendable {
  /// Tenths of which `even` and `odd` tell, the newest in bit 0.
  private var told = 0
  private var even: UInt64 = 0
  private var odd: UInt64 = 0
  /// Silent tenths that follow these.
  private var silent = 0

  /// None.
  public init() {}

  /// How many tenths are in it.
  public var count: Int { told + silent }

  mutating func append(_ tenth: Tenth) {
    guard tenth != .silent else {
      silent += 1
      return
    }
    let shift = silent + 1
    (even, odd) = (even << shift | (tenth.even ? 1 : 0), odd << shift | (tenth.odd ? 1 : 0))
    (told, silent) = (Swift.min(told + shift, 64), 0)
  }

  /// So many tenths of silence.
  mutating func append(silent count: Int) { silent += count }

  /// The oldest of them, which is then taken out; nil when there is none.
  public mutating func next() -> Tenth? {
    if told > 0 {
      told -= 1
      return Tenth(even: even >> told & 1 == 1, odd: odd >> told & 1 == 1)
    }
    guard silent > 0 else { return nil }
    silent -= 1
    return .silent
  }
}
