import Fuzzing
import TestSupport
import Testing

/// liblull reads and writes lines as the daemon does.
@Suite(.bounded) struct GrammarTests {
  @Test(arguments: ["client", "wire"])
  func `every kept input of a fuzzer is read alike`(corpus: String) throws {
    #expect(try Corpus.flaws(corpus, fuzzClient) == [])
  }

  /// The same inputs as lines, as what lulld says, and as the description of kept lines.
  @Test(arguments: 0..<4)
  func `the inputs of the wire are borne as everything`(kind: UInt8) throws {
    #expect(try Corpus.flaws("wire") { bytes throws(Flaw) in try fuzzClient([kind] + bytes) } == [])
  }

  @Test(arguments: [
    "hello", "  hello  ", "event wake ticket=1", "event", "a b=\"\" c", "a b=\"\\u00e4\\n\\\"\"", "a b=",
    "a b==c",
    "a b=\"c", "a b=\"c\"d", "a b b", "a b=\"\\u0100\"", "a b=\"\\u0000\"", "1a", "a 1=2", "a b=c\r",
    "a b=\u{E4}\u{1F600}", "a b=\"\\u00\"", "a b=\"\\x\"", "a b=\"\\", "",
    "abcdefghijklmnopqrstuvwxyzabcdefg",
  ])
  func `the corners of the grammar are read alike`(line: String) throws {
    try fuzzClient([0] + Array(line.utf8))
    try fuzzClient([0] + Array(line.utf8.dropLast()))
  }

  @Test func `what is not UTF-8 is refused alike`() throws {
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE4, 0xB8], [0xC3, 0xA4],
    ] {
      try fuzzClient([0] + Array("a b=".utf8) + bytes)
      try fuzzClient([0] + Array("a b=\"".utf8) + bytes + Array("\"".utf8))
    }
  }
}
