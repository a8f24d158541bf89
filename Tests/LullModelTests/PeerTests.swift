import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct PeerTests {
  private static func v6(_ groups: [Int: UInt16]) -> [UInt8] {
    (0..<8).flatMap { [UInt8((groups[$0] ?? 0) >> 8), UInt8((groups[$0] ?? 0) & 0xFF)] }
  }

  private static let fd = v6([0: 0xfd00, 7: 1]), loopback = v6([7: 1])
  private static let mapped = v6([5: 0xFFFF, 6: 0x0A01, 7: 0x0203])

  @Test(
    arguments: [
      ("10.1.2.3", [10, 1, 2, 3], true), ("10.1.2.3", [10, 1, 2, 4], false), ("10.1.2.3", mapped, true),
      ("10.0.0.0/8", [10, 255, 0, 1], true), ("10.0.0.0/8", [11, 0, 0, 0], false),
      ("10.16.0.0/12", [10, 31, 0, 0], true), ("10.16.0.0/12", [10, 32, 0, 0], false),
      ("0.0.0.0/0", [1, 2, 3, 4], true), ("0.0.0.0/0", loopback, false),
      ("::ffff:10.1.2.3", [10, 1, 2, 3], true), ("::ffff:0a01:203", mapped, true),
      ("::1", loopback, true), ("::1", [127, 0, 0, 1], false), ("fd00::/8", fd, true),
      ("fd00:0:0::0:1", fd, true), ("fd00:0:0:0:0:0:0:1/127", v6([0: 0xfd00]), true), ("::", v6([:]), true),
      ("FD00::", v6([0: 0xfd00]), true), ("::/0", [10, 1, 2, 3], true), ("1::/16", v6([0: 1, 4: 9]), true),
    ] as [(String, [UInt8], Bool)])
  func `a range has the addresses that begin with its bits`(
    text: String, address: [UInt8], isInside: Bool
  ) throws {
    let range = try #require(PeerRange(text))
    #expect(range.contains(address) == isInside)
    #expect(range.description == text)
  }

  @Test(arguments: [
    "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.1.2", "10.0.0.1/33", "10.0.0.1/", "10.0.0.1/8/8",
    "+1.0.0.1",
    "10.0.0.1/-1", "10.0.0.1/+8", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "fd00::g",
    "/8",
    "fd00::/129", "1.2.3.4::", "::1.2.3", "12345::", "fe80::1%eth0", "[::1]", "::+1", "1:2:3:4:5:6:7::8",
    "1:",
  ])
  func `anything else is no range`(text: String) { #expect(PeerRange(text) == nil) }

  @Test(arguments: ["8080", "8080/healthz", "/", "/a/b?c=d", "65535/x"])
  func `a rule is written as it is read`(text: String) throws {
    #expect(try #require(ProbeRule(text)).description == text)
  }

  @Test(arguments: [
    "", "0", "65536", "healthz", "-1", "+80", "80 ", "80/a b", "80/a,b", "80/\n", "0/x", "/\u{E4}",
    "/" + String(repeating: "x", count: ProbeRule.longestPath),
  ])
  func `anything else is no rule`(text: String) { #expect(ProbeRule(text) == nil) }
}
