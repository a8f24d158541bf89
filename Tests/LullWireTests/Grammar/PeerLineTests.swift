import LullWire
import TestSupport
import Testing

extension TextLineSplitter {
  mutating func append(_ text: String) { append(Array(text.utf8)[...]) }

  mutating func all() -> [String] {
    var lines: [String] = []
    while let line = next() { lines.append(Self.text(line)) }
    return lines
  }

  static func text(_ line: Line) -> String {
    switch line {
    case .line(let bytes): String(decoding: bytes, as: UTF8.self)
    case .tooLong: "(too long)"
    }
  }
}

@Suite(.bounded) struct PeerLineTests {
  @Test(arguments: [
    ("ping", PeerLine.ping), ("pong", .pong), ("notify", .notify),
    ("ping\r", .ping), ("notify \t\r\n", .notify),  // white space at the end
    (" ping", .other(" ping")), ("PING", .other("PING")), ("pings", .other("pings")),  // all else is exact
    ("hello there \r", .other("hello there")), ("", .other("")), ("\r", .other("")),
  ])
  func `a line is matched exactly but for white space at its end`(text: String, line: PeerLine) {
    #expect(PeerLine(Array(text.utf8)[...]) == line)
  }

  @Test func `bytes that are not UTF-8 are repaired`() {
    #expect(PeerLine([0x61, 0xFF, 0x62]) == .other("a\u{FFFD}b"))
  }

  @Test func `a line is sent with LF`() {
    #expect(PeerLine.ping.bytes == Array("ping\n".utf8))
    #expect(PeerLine.pong.bytes == Array("pong\n".utf8))
    #expect(PeerLine.other("é").bytes == Array("é\n".utf8))
  }
}

@Suite(.bounded) struct TextLineSplitterTests {
  @Test func `several lines in one segment and one line in several are both read`() {
    var splitter = TextLineSplitter()
    splitter.append("ping\nnotify\r\n\npo")
    #expect(splitter.all() == ["ping", "notify", ""])
    splitter.append("ng")
    #expect(splitter.all() == [])
    splitter.append("\npi")
    #expect(splitter.all() == ["pong"])
    #expect(splitter.pendingBytes == 2)
    #expect(splitter.finish().map(TextLineSplitter.text) == "pi")
    #expect(splitter.finish() == nil)
  }

  @Test func `a carriage return at the end of a segment belongs to the line`() {
    var splitter = TextLineSplitter()
    splitter.append("ping\r")
    #expect(splitter.all() == [])
    splitter.append("\nping\r\r\n")
    #expect(splitter.all() == ["ping", "ping\r"])
  }

  @Test(arguments: [1, 3, 100, 70_000])
  func `a line that is too long is reported once and passed over`(piece: Int) {
    let limit = Limits.maximumTextLine
    let exact = String(repeating: "x", count: limit - 1)
    let long = String(repeating: "y", count: limit)
    let huge = String(repeating: "z", count: 3 * limit)
    var splitter = TextLineSplitter()
    var lines: [String] = []
    var most = 0
    var rest = Array("\(exact)\n\(long)\nping\n\(huge)\nnotify\nx".utf8)[...]
    while !rest.isEmpty {
      splitter.append(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      lines += splitter.all()
      most = max(most, splitter.pendingBytes)
    }
    #expect(lines == [exact, "(too long)", "ping", "(too long)", "notify"])
    #expect(most < limit)
    #expect(splitter.finish().map(TextLineSplitter.text) == "x")
  }

  @Test func `nothing is left of a line that is too long when the peer closes`() {
    var splitter = TextLineSplitter(maximumLine: 4)
    splitter.append("12345")
    #expect(splitter.all() == ["(too long)"])
    splitter.append("67")
    #expect(splitter.all() == [])
    #expect(splitter.finish() == nil)
  }
}
