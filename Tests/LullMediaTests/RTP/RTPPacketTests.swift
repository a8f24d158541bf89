import Fuzzing
import TestSupport
import Testing

@testable import LullMedia

@Suite(.bounded) struct RTPPacketTests {
  private static let plain: [UInt8] = [
    0x80,  // version 2, no padding, no extension, no contributing source
    0xEF,  // marker, payload type 111
    0x12, 0x34,  // sequence number
    0xDE, 0xAD, 0xBE, 0xEF,  // timestamp
    0x01, 0x02, 0x03, 0x04,  // synchronization source
    0xF8, 0xFF, 0xFE,  // payload
  ]
  private static let packet = RTPPacket(
    payloadType: 111, marker: true, sequence: 0x1234, timestamp: 0xDEAD_BEEF, source: 0x0102_0304,
    payload: [0xF8, 0xFF, 0xFE])

  @Test func `A packet is written as RFC 3550 says, and read again`() {
    var bytes: [UInt8] = []
    Self.packet.append(to: &bytes)
    #expect(bytes == Self.plain)
    #expect(RTPPacket(bytes[...]) == Self.packet)
  }

  @Test func `Contributing sources, a header extension and padding are read over`() {
    let bytes: [UInt8] = [
      0xB2,  // version 2, padding, extension, two contributing sources
      0x6F,  // no marker, payload type 111
      0x00, 0x01, 0x00, 0x00, 0x03, 0xC0, 0x00, 0x00, 0x00, 0x07,  // sequence number, timestamp, source
      0x0A, 0x0A, 0x0A, 0x0A, 0x0B, 0x0B, 0x0B, 0x0B,  // contributing sources
      0xBE, 0xDE, 0x00, 0x01,  // extension: profile, one word
      0x10, 0x20, 0x00, 0x00,  // that word
      0xF8, 0x01,  // payload
      0x00, 0x00, 0x03,  // padding of three bytes
    ]
    let packet = RTPPacket(
      payloadType: 111, sequence: 1, timestamp: 960, source: 7, payload: [0xF8, 0x01])
    #expect(RTPPacket(bytes[...]) == packet)
  }

  @Test func `What is no packet is refused`() {
    for count in 0...12 { #expect(RTPPacket(Self.plain[..<count]) == nil, "\(count) bytes") }
    for version in [0x00, 0x40, 0xC0] as [UInt8] {
      #expect(RTPPacket([version] + Self.plain[1...]) == nil, "version \(version >> 6)")
    }
    // More contributing sources, extension words and padding than there are bytes; no padding at all.
    #expect(RTPPacket([0x81] + Self.plain[1...]) == nil)
    #expect(RTPPacket([0x90] + Self.plain[1..<12] + [0, 0, 0, 9, 1, 2, 3, 4]) == nil)
    #expect(RTPPacket([0x90] + Self.plain[1..<12] + [0, 0]) == nil)
    #expect(RTPPacket([0xA0] + Self.plain[1..<12] + [1, 2, 4]) == nil)
    #expect(RTPPacket([0xA0] + Self.plain[1..<12] + [1, 2, 0]) == nil)
  }

  @Test(arguments: [UInt64](1...4))
  func `No bytes whatever bring the readers down`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      var bytes = (0..<random.below(65)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if bytes.count > 1 {
        (bytes[0], bytes[1]) = (bytes[0] & 0x3F | 0x80, random.chance(50) ? 200 : bytes[1])
      }
      _ = RTPPacket(bytes[...])
      _ = RTCPPacket.read(bytes[...])
    }
  }
}
