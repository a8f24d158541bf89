/// A packet of RTP (RFC 3550, section 5.1). Contributing sources, header extensions and padding are skipped
/// when a packet is read, and never written.
public struct RTPPacket: Equatable, Sendable {
  /// The payload types that a session may give a meaning to (RFC 3551, section 6).
  public static let dynamicPayloadTypes: ClosedRange<UInt8> = 96...127

  /// The payload type, 0 to 127.
  public var payloadType: UInt8
  /// Marks the first packet after a silence (RFC 7587, section 4.2).
  public var marker: Bool
  /// Counts the packets.
  public var sequence: UInt16
  /// The time of the payload's first sample, in samples of 48 kHz whatever the rate of the sound.
  public var timestamp: UInt32
  /// The synchronization source (SSRC).
  public var source: UInt32
  /// The payload, never empty in a packet that was read.
  public var payload: ArraySlice<UInt8>

  /// Creates a packet to be sent.
  public init(
    payloadType: UInt8, marker: Bool = false, sequence: UInt16, timestamp: UInt32, source: UInt32,
    payload: ArraySlice<UInt8>
  ) {
    precondition(payloadType < 128, "a payload type has 7 bits")
    (self.payloadType, self.marker, self.sequence) = (payloadType, marker, sequence)
    (self.timestamp, self.source, self.payload) = (timestamp, source, payload)
  }

  /// Reads a datagram; nil when it is not a packet of version 2 with a payload, or contradicts itself.
  public init?(_ datagram: ArraySlice<UInt8>) {
    var reader = ByteReader(datagram)
    guard let first = reader.byte(), first >> 6 == 2, let second = reader.byte(),
      let sequence = reader.number(UInt16.self), let timestamp = reader.number(UInt32.self),
      let source = reader.number(UInt32.self), reader.take(4 * Int(first & 0x0F)) != nil
    else { return nil }
    if first & 0x10 != 0 {
      guard reader.number(UInt16.self) != nil, let words = reader.number(UInt16.self),
        reader.take(4 * Int(words)) != nil
      else { return nil }
    }
    var payload = reader.rest
    if first & 0x20 != 0 {
      // The last byte is the number of padding bytes, with itself.
      guard let padding = payload.last, padding > 0, Int(padding) <= payload.count else { return nil }
      payload = payload.dropLast(Int(padding))
    }
    guard !payload.isEmpty else { return nil }
    self.init(
      payloadType: second & 0x7F, marker: second & 0x80 != 0, sequence: sequence, timestamp: timestamp,
      source: source, payload: payload)
  }

  /// Writes the packet.
  public func append(to bytes: inout [UInt8]) {
    bytes.append(0x80)
    bytes.append(marker ? payloadType | 0x80 : payloadType)
    bytes.append(bigEndian: sequence)
    bytes.append(bigEndian: timestamp)
    bytes.append(bigEndian: source)
    bytes += payload
  }
}
