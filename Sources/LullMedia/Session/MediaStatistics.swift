/// The figures of a call.
public struct MediaStatistics: Equatable, Sendable {
  /// Packets sent.
  public var sent: Int
  /// Packets received, late ones included.
  public var received: Int
  /// Packets that did not come.
  public var lost: Int
  /// Frames that were missing when they were due, and came from the redundant copy in the next packet.
  public var recovered: Int
  /// Frames that were missing when they were due, and were guessed.
  public var concealed: Int
  /// Packets that came after their time.
  public var late: Int
  /// Packets that came twice.
  public var duplicate: Int
  /// Datagrams that did not belong to the call.
  public var ignored: Int
  /// The jitter of the arrivals (RFC 3550, A.8).
  public var jitterMilliseconds: Double
  /// There and back, by the peer's reports; nil when it sends none.
  public var roundTripMilliseconds: Double?
  /// How far the encoder looks ahead.
  public var lookaheadMilliseconds: Double
  /// How long a packet waited for its turn, on average.
  public var waitMilliseconds: Double

  /// From the peer's mouth to the ear: a frame of 20 ms, the encoder's look-ahead, the way, the wait in the
  /// jitter buffer and `device`, what was queued behind it. The peer's own queues are not known here. Nil
  /// before anything was heard.
  public func mouthToEarMilliseconds(device: Double) -> Double? {
    guard received > 0 else { return nil }
    return 20 + lookaheadMilliseconds + (roundTripMilliseconds ?? 0) / 2 + waitMilliseconds + device
  }
}
