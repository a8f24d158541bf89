/// Follows the sequence numbers of one source (RFC 3550, A.1 and A.3) and knows duplicates by the last 64
/// numbers.
struct SequenceTracker {
  enum Arrival: Equatable {
    /// The next packet, or a later one.
    case inOrder
    /// A packet that a later one has overtaken.
    case overtaken
    case duplicate
    /// A number too far away from the earlier ones; two consecutive strange packets begin the count anew.
    case strange
    /// The count begins anew with this packet.
    case restarted
  }

  private static let maximumDropout: UInt16 = 3000
  private static let window: UInt16 = 64

  /// The highest number, with the number of its cycles in the upper half.
  private(set) var highest: UInt32
  private(set) var received: UInt32 = 0
  private let first: UInt32
  /// A bit for each of the last 64 numbers that has come, the highest number in the lowest bit.
  private var seen: UInt64 = 0
  private var expectedAfterStrange: UInt16?
  private var last: (expected: UInt32, received: UInt32) = (0, 0)

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

  /// The packets that were sent, by the numbers that came.
  var expected: UInt32 { highest &- first &+ 1 }

  /// Packets from before the first one may make the number negative.
  var lost: Int32 { Int32(bitPattern: expected &- received) }

  /// The share of packets lost since the last call, in 256ths.
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
