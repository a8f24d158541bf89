package import LullEngine

/// The tenths of a second that ended in the measured frames, the oldest first. Of more than 64 with sound
/// only the last 64 are kept.
package struct MeteredTenths: Sequence, IteratorProtocol, Equatable, Sendable {
  /// The number of tenths in `even` and `odd`, the newest in bit 0.
  private var told = 0
  private var even: UInt64 = 0
  private var odd: UInt64 = 0
  /// The silent tenths behind them.
  private var silent = 0

  package init() {}

  package var count: Int { told + silent }

  mutating func append(_ tenth: Tenth) {
    guard tenth != .silent else {
      silent += 1
      return
    }
    let shift = silent + 1
    (even, odd) = (even << shift | (tenth.even ? 1 : 0), odd << shift | (tenth.odd ? 1 : 0))
    (told, silent) = (Swift.min(told + shift, 64), 0)
  }

  package mutating func next() -> Tenth? {
    if told > 0 {
      told -= 1
      return Tenth(even: even >> told & 1 == 1, odd: odd >> told & 1 == 1)
    }
    guard silent > 0 else { return nil }
    silent -= 1
    return .silent
  }
}
