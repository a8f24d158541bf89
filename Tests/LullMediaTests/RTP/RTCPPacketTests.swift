import TestSupport
import Testing

@testable import LullMedia

@Suite(.bounded) struct RTCPPacketTests {
  private static let report: [UInt8] = [
    0x81, 0xC8, 0x00, 0x0C,  // version 2, one block, sender report, 12 words follow
    0x00, 0x00, 0x00, 0x01,  // source
    0x83, 0xAA, 0x7E, 0x80, 0x80, 0x00, 0x00, 0x00,  // date: 1970-01-01 and half a second
    0x00, 0x00, 0x03, 0xC0,  // timestamp
    0x00, 0x00, 0x00, 0x02,  // packets
    0x00, 0x00, 0x00, 0x50,  // bytes
    0x00, 0x00, 0x00, 0x09,  // block: source
    0x40, 0xFF, 0xFF, 0xFF,  // a quarter lost since the last report; lost in all: -1
    0x00, 0x01, 0x00, 0x05,  // highest sequence number 5, begun anew once
    0x00, 0x00, 0x00, 0x30,  // jitter of 1 ms
    0x7E, 0x80, 0x80, 0x00,  // middle of the date of the last report
    0x00, 0x00, 0x80, 0x00,  // half a second ago
  ]
  private static let name: [UInt8] = [
    0x81, 0xCA, 0x00, 0x02,  // one chunk, source description, 2 words follow
    0x00, 0x00, 0x00, 0x01,  // source
    0x01, 0x01, 0x61, 0x00,  // canonical name of one byte "a", end of the list
  ]
  private static let goodbye: [UInt8] = [
    0x81, 0xCB, 0x00, 0x01,  // one source, goodbye, 1 word follows
    0x00, 0x00, 0x00, 0x01,  // source
  ]

  private static let packets: [RTCPPacket] = [
    .senderReport(
      source: 1, .init(date: 0x83AA_7E80_8000_0000, timestamp: 960, packets: 2, bytes: 80),
      [
        .init(
          source: 9, fractionLost: 0x40, lost: -1, highestSequence: 0x1_0005, jitter: 48,
          lastReport: 0x7E80_8000,
          delay: 0x8000)
      ]),
    .canonicalName(source: 1, "a"),
    .goodbye([1]),
  ]

  @Test func `Reports are written as RFC 3550 says, and read again`() {
    var bytes: [UInt8] = []
    for packet in Self.packets { packet.append(to: &bytes) }
    #expect(bytes == Self.report + Self.name + Self.goodbye)
    #expect(RTCPPacket.isControl(bytes[...]))
    #expect(RTCPPacket.read(bytes[...]) == [Self.packets[0], Self.packets[2]])
  }

  @Test func `A name of any length ends at a whole word`() {
    for count in 0...9 {
      var bytes: [UInt8] = []
      RTCPPacket.canonicalName(source: 1, String(repeating: "n", count: count)).append(to: &bytes)
      #expect(bytes.count % 4 == 0 && bytes.last == 0)
      #expect(bytes.count == 4 * (Int(bytes[3]) + 1))
    }
  }

  @Test func `What does not begin with a report, or is cut off, is refused`() {
    #expect(RTCPPacket.read(Self.goodbye[...]) == nil)
    #expect(RTCPPacket.read([]) == nil)
    for count in 1..<Self.report.count { #expect(RTCPPacket.read(Self.report[..<count]) == nil) }
    #expect(RTCPPacket.read((Self.report + [0x81, 0xCB, 0x00, 0x02, 0, 0, 0, 1])[...]) == nil)
    // More blocks, or more sources, than there are bytes.
    #expect(RTCPPacket.read(([0x82] + Self.report[1...])[...]) == nil)
    #expect(RTCPPacket.read((Self.report + [0x82] + Self.goodbye[1...])[...]) == nil)
  }
}
