/// The figures of a call.
public struct MediaStatistics: Equatable, Sendable {
  /// The packets sent.
  public var sent: Int
  /// The packets received, with late ones.
  public var received: Int
  /// The packets that did not come.
  public var lost: Int
  /// The frames that were missing when they were due, and came from the redundant copy in the next packet.
  public var recovered: Int
  /// The frames that were missing when they were due, and were guessed.
  public var concealed: Int
  /// The packets that came after their time.
  public var late: Int
  /// The packets that came twice.
  public var duplicate: Int
  /// The datagrams that did not belong to the call.
  public var ignored: Int
  /// The jitter of the arrivals (RFC 3550, A.8).
  public var jitterMilliseconds: Double
  /// The round trip time, by the peer's reports; nil when the peer sends none.
  public var roundTripMilliseconds: Double?
  /// The look-ahead of the encoder.
  public var lookaheadMilliseconds: Double
  /// The average wait of a packet for its turn.
  public var waitMilliseconds: Double

  /// The delay from the peer's mouth to the ear: a frame of 20 ms, the encoder's look-ahead, half the round
  /// trip, the wait in the jitter buffer and `device`, the queue behind that. The peer's own queues are not
  /// known here. Nil before the first packet.
  public func mouthToEarMilliseconds(device: Double) -> Double? {
    guard received > 0 else { return nil }
    return 20 + lookaheadMilliseconds + (roundTripMilliseconds ?? 0) / 2 + waitMilliseconds + device
  }
}
