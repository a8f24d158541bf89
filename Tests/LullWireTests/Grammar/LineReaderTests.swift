import Fuzzing
import LullWire
import TestSupport
import Testing

extension LineReader {
  mutating func append(_ text: String, descriptors: Int = 0) {
    append(Array(text.utf8)[...], descriptors: descriptors)
  }

  mutating func all() -> [Line] {
    var lines: [Line] = []
    while let line = next() { lines.append(line) }
    return lines
  }
}

@Suite(.bounded) struct LineReaderTests {
  private let status = LineReader.Line(.message(Message("status")))
  private let hello = LineReader.Line(.message(Message("hello")))

  @Test func `several lines in one read and one line in several are both read`() {
    var reader = LineReader()
    reader.append("status\nhello\nsta")
    #expect(reader.all() == [status, hello])
    #expect(reader.pendingBytes == 3)
    reader.append("tus")
    #expect(reader.all() == [])
    reader.append("\n")
    #expect(reader.all() == [status])
    #expect(reader.pendingBytes == 0)
  }

  @Test func `empty lines and carriage returns do no harm`() {
    var reader = LineReader()
    reader.append("\n\r\n\nstatus\r\n\r\n")
    #expect(reader.all() == [status])
  }

  @Test func `the connection goes on after a line that is not a message`() {
    var reader = LineReader()
    let bytes = Array("Status\nv ".utf8) + [0xFF] + Array("\nstatus\n".utf8)
    reader.append(bytes[...])
    let error = WireError.malformed(
      reason: "a verb has a 'S' at its start: it begins with a lower-case letter")
    #expect(reader.all() == [.init(.invalid(error)), .init(.invalid(.notUTF8)), status])
  }

  @Test func `a line of 4096 bytes is read, one of 4097 ends the connection`() {
    let overhead = "v k=\n".utf8.count
    for (count, isRead) in [(4096, true), (4097, false)] {
      let value = String(repeating: "x", count: count - overhead)
      var reader = LineReader()
      reader.append("v k=\(value)\nstatus\n")
      let long = LineReader.Line(.message(Message("v", Field("k", value))))
      #expect(reader.all() == (isRead ? [long, status] : [.init(.tooLong)]))
    }
  }

  @Test func `4096 bytes without LF end the connection, 4095 do not`() {
    var reader = LineReader()
    reader.append(String(repeating: "x", count: 4095))
    #expect(reader.next() == nil)
    reader.append("x")
    #expect(reader.next() == .init(.tooLong))
    #expect(reader.pendingBytes == 0)
    reader.append("\nstatus\n")
    #expect(reader.next() == nil)
    #expect(reader.pendingBytes == 0)
  }

  @Test func `a descriptor belongs to the line of the last byte of its read`() {
    var reader = LineReader()
    reader.append("status\nhold fd=5\n", descriptors: 1)
    reader.append("hello\n")
    let hold = LineReader.Line(.message(Message("hold").adding(.fd, 5)), descriptors: 1)
    #expect(reader.all() == [status, hold, hello])
  }

  @Test func `a descriptor waits for the end of its line`() {
    var reader = LineReader()
    reader.append("status\nho", descriptors: 1)
    #expect(reader.all() == [status])
    reader.append("ld fd=5\nhello\n")
    let hold = LineReader.Line(.message(Message("hold").adding(.fd, 5)), descriptors: 1)
    #expect(reader.all() == [hold, hello])
  }

  @Test func `the descriptors of one line are counted, and no line loses them`() {
    var reader = LineReader()
    reader.append("hel", descriptors: 1)
    reader.append("lo\n", descriptors: 2)
    reader.append("\n", descriptors: 1)
    reader.append("?\n", descriptors: 1)
    let lines = reader.all()
    #expect(lines.map(\.descriptors) == [3, 1, 1])
    let empty = WireError.malformed(reason: "a descriptor came with an empty line")
    #expect(lines.dropFirst().first?.content == .invalid(empty))
    reader.append("x", descriptors: 1)
    reader.append(String(repeating: "x", count: 5000))
    #expect(reader.all() == [.init(.tooLong, descriptors: 1)])
  }

  @Test func `byte by byte or in random pieces gives the same lines as the whole`() throws {
    let seed = SplitMix64.seed(for: "pieces")
    var generator = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var bytes: [UInt8] = []
      for _ in 0..<20 {
        try? generator.message().encode(into: &bytes)
        if generator.chance(20) { bytes.append(contentsOf: generator.pick(["\n", "\r\n", "Bad\n"]).utf8) }
      }
      var whole = LineReader()
      whole.append(bytes[...])
      let expected = whole.all()
      for maximumPiece in [1, 2, 7, 100] {
        var reader = LineReader()
        var lines: [LineReader.Line] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let piece = rest.prefix(1 + generator.below(maximumPiece))
          rest = rest.dropFirst(piece.count)
          reader.append(piece)
          lines += reader.all()
        }
        try #require(lines == expected, "LULL_SEED=\(seed)")
      }
    }
  }

  @Test func `the memory of an unfinished line is bounded`() {
    var reader = LineReader()
    var pending = 0
    for _ in 0..<1000 {
      reader.append(String(repeating: "x", count: 100))
      _ = reader.next()
      pending = max(pending, reader.pendingBytes)
    }
    #expect(pending < 4096)
  }
}
