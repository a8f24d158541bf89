import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct OffloadRuleTests {
  private func matches(_ rule: OffloadRule, _ text: String) -> Bool { rule.matches(Array(text.utf8)[...]) }

  @Test func `line covers exactly one ping`() {
    #expect(matches(.line, "ping\n"))
    for text in ["", "ping", "ping\r\n", "ping\nping\n", "ping\n\n", " ping\n", "Ping\n", "pong\n", "pin"] {
      #expect(!matches(.line, text))
    }
    #expect(OffloadRule.line.streamAnswer == Array("pong\n".utf8))
  }

  @Test func `crlf covers exactly the double CRLF of RFC 5626`() {
    #expect(matches(.crlf, "\r\n\r\n"))
    for text in ["", "\r\n", "\r\n\r\n\r\n", "\n\n", "\r\n\r", "\r\n\r\nREGISTER sip:x SIP/2.0\r\n"] {
      #expect(!matches(.crlf, text))
    }
    #expect(OffloadRule.crlf.streamAnswer == Array("\r\n".utf8))
  }

  @Test func `udp-keepalive covers empty lines and one zero byte, and answers nothing`() {
    for text in ["\r\n\r\n", "\r\n", "\0"] { #expect(matches(.udpKeepalive, text)) }
    for text in ["", "\n", "\0\0", "\0\0\0\0", "\r\n\r\n\r\n", "x"] { #expect(!matches(.udpKeepalive, text)) }
    #expect(OffloadRule.udpKeepalive.streamAnswer == [])
  }

  @Test func `a match does not depend on where the bytes stand`() {
    let bytes = Array("xxping\nyy".utf8)
    #expect(OffloadRule.line.matches(bytes[2..<7]))
    #expect(!OffloadRule.line.matches(bytes[1..<7]))
  }

  @Test func `every message that a rule covers fits the longest`() {
    #expect(OffloadRule.longestMessage >= 20)
  }
}

@Suite(.bounded) struct STUNTests {
  /// The transaction id of every example of RFC 5769.
  private static let transaction: [UInt8] = [
    0xb7, 0xe7, 0xa7, 0x01, 0xbc, 0x34, 0xd6, 0x86, 0xfa, 0x87, 0xdf, 0xae,
  ]
  private static let plain: [UInt8] =
    [
      0x00, 0x01,  // binding request
      0x00, 0x00,  // no attributes
      0x21, 0x12, 0xa4, 0x42,  // magic cookie
    ] + transaction

  @Test func `a binding request without attributes is answered`() {
    #expect(OffloadRule.stun.matches(Self.plain[...]))
  }

  @Test func `the sample request of RFC 5769, section 2.1, is for the program: it has to be checked`() {
    let sample: [UInt8] =
      [0x00, 0x01, 0x00, 0x58, 0x21, 0x12, 0xa4, 0x42] + Self.transaction
      + [0x80, 0x22, 0x00, 0x10] + Array("STUN test client".utf8)
    #expect(!OffloadRule.stun.matches(sample[...]))
  }

  @Test func `anything else is no plain binding request`() {
    var indication = Self.plain
    indication[1] = 0x11
    var response = Self.plain
    response[0] = 0x01
    var cookie = Self.plain
    cookie[4] = 0x20
    var length = Self.plain
    length[3] = 4
    for bytes in [indication, response, cookie, length, Self.plain + [0], Array(Self.plain.dropLast()), []] {
      #expect(!OffloadRule.stun.matches(bytes[...]))
    }
  }

  @Test func `the answer carries the IPv4 address of RFC 5769, section 2.2`() {
    let answer = STUN.response(to: Self.plain[...], address: [192, 0, 2, 1], port: 32853)
    let expected: [UInt8] =
      [0x01, 0x01, 0x00, 0x0c, 0x21, 0x12, 0xa4, 0x42] + Self.transaction + [
        0x00, 0x20, 0x00, 0x08,  // XOR-MAPPED-ADDRESS, 8 bytes
        0x00, 0x01, 0xa1, 0x47,  // IPv4, xor'd port
        0xe1, 0x12, 0xa6, 0x43,  // xor'd address
      ]
    #expect(answer == expected)
  }

  @Test func `the answer carries the IPv6 address of RFC 5769, section 2.3`() {
    let address: [UInt8] = [
      0x20, 0x01, 0x0d, 0xb8, 0x12, 0x34, 0x56, 0x78, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
    ]
    let answer = STUN.response(to: Self.plain[...], address: address, port: 32853)
    let expected: [UInt8] =
      [0x01, 0x01, 0x00, 0x18, 0x21, 0x12, 0xa4, 0x42] + Self.transaction + [
        0x00, 0x20, 0x00, 0x14,  // XOR-MAPPED-ADDRESS, 20 bytes
        0x00, 0x02, 0xa1, 0x47,  // IPv6, xor'd port
        0x01, 0x13, 0xa9, 0xfa, 0xa5, 0xd3, 0xf1, 0x79,  // xor'd address
        0xbc, 0x25, 0xf4, 0xb5, 0xbe, 0xd2, 0xb9, 0xd9,
      ]
    #expect(answer == expected)
  }
}
