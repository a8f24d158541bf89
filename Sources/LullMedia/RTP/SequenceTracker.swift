/// Follows the sequence numbers of one source (RFC 3550, A.1 and A.3) and knows duplicates by the last 64
/// numbers.
struct SequenceTracker {
  enum Arrival: Equatable {
    /// The next one, or a later one.
    case inOrder
    /// One that a later one has overtaken.
    case overtaken
    case duplicate
    /// Too far away to belong to what came before; two such ones in a row begin anew.
    case strange
    /// The numbers begin anew with this one.
    case restarted
  }

  private static let maximumDropout: UInt16 = 3000
  private static let window: UInt16 = 64

  /// The highest number, with how often it began anew in the upper half.
  private(set) var highest: UInt32
  private(set) var received: UInt32 = 0
  private let first: UInt32
  /// Which of the numbers up to the highest have come, the highest in the lowest bit.
  private var seen: UInt64 = 0
  private var expectedAfterStrange: UInt16?
  private var last: (expected: UInt32, received: UInt32) = (0, 0)

  /// Nothing has come yet.
  init(expecting sequence: UInt16) {
    first = UInt32(sequence)
    highest = first &- 1
  }

  mutating func note(_ sequence: UInt16) -> Arrival {
    let ahead = sequence &- UInt16(truncatingIfNeeded: highest)
    if ahead == 0 { return received > 0 ? .duplicate : .strange }
    if ahead < SequenceTracker.maximumDropout {
      advance(by: ahead)
      return .inOrder
    }
    let behind = 0 &- ahead
    guard behind >= SequenceTracker.window else { return overtaken(by: behind) }
    guard sequence == expectedAfterStrange else {
      expectedAfterStrange = sequence &+ 1
      return .strange
    }
    self = SequenceTracker(expecting: sequence)
    advance(by: 1)
    return .restarted
  }

  private mutating func advance(by count: UInt16) {
    highest &+= UInt32(count)
    seen = count < SequenceTracker.window ? seen << UInt64(count) | 1 : 1
    received += 1
    expectedAfterStrange = nil
  }

  private mutating func overtaken(by behind: UInt16) -> Arrival {
    let bit = UInt64(1) << UInt64(behind)
    guard seen & bit == 0 else { return .duplicate }
    seen |= bit
    received += 1
    return .overtaken
  }

  /// Packets that were sent, as far as is known.
  var expected: UInt32 { highest &- first &+ 1 }

  /// Packets that have not come. Those from before the first one may make it negative.
  var lost: Int32 { Int32(bitPattern: expected &- received) }

  /// How many 256th were lost since this was asked last.
  mutating func takeFractionLost() -> UInt8 {
    let expectedNow = expected &- last.expected
    let receivedNow = received &- last.received
    last = (expected, received)
    guard expectedNow > receivedNow else { return 0 }
    return UInt8(clamping: UInt64(expectedNow - receivedNow) * 256 / UInt64(expectedNow))
  }
}

/// The jitter of arrivals (RFC 3550, A.8), in samples of 48 kHz.
struct InterarrivalJitter {
  private(set) var samples = 0.0
  private var lastTransit: UInt32?

  mutating func note(timestamp: UInt32, at nanoseconds: Int64) {
    let arrival = UInt32(truncatingIfNeeded: nanoseconds / 1000 * 48 / 1000)
    let transit = arrival &- timestamp
    defer { lastTransit = transit }
    guard let lastTransit else { return }
    let difference = Int32(bitPattern: transit &- lastTransit).magnitude
    samples += (Double(difference) - samples) / 16
  }
}
