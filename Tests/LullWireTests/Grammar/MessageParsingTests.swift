import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct MessageParsingTests {
  @Test func `a line is a verb, then fields`() throws {
    let message = try Message.parse(
      #"register name=softphone modes=voip,audio title="New call" exitsOnSuspend"#)
    #expect(message.verb == "register")
    #expect(message.noticeName == nil)
    #expect(
      message.fields == [
        Field("name", "softphone"),  // bare
        Field("modes", "voip,audio"),  // a list is a bare value
        Field("title", "New call"),  // quoted, because of the space
        Field("exitsOnSuspend", nil),  // a flag
      ])
    #expect(message[.exitsOnSuspend] == "true")
    #expect(message[.launch] == nil)
  }

  @Test(arguments: [
    (#"v k="a b""#, "a b"),  // space
    (#"v k="a\"b""#, "a\"b"),  // quote
    (#"v k="a\\b""#, "a\\b"),  // backslash
    (#"v k="a\nb\rc\td""#, "a\nb\rc\td"),  // the short escapes
    (#"v k="\u0000\u001b\u001F\u007f""#, "\u{0}\u{1B}\u{1F}\u{7F}"),  // control characters, both cases
    (#"v k="\u00e9""#, "é"),  // above ASCII
    (#"v k="""#, ""),  // empty
    (#"v k="a=b""#, "a=b"),  // equals
    ("v k=é🙂", "é🙂"),  // bare beyond ASCII
    ("v k=a,b:c/[::1]:80", "a,b:c/[::1]:80"),  // an address
    ("v  k=x  ", "x"),  // more spaces than needed
    (" v k=x", "x"),
    ("v k=x\r", "x"),  // typed in telnet
    ("v k=x\r\n", "x"),
    ("v k=x\n", "x"),
  ])
  func `a value is read as it was meant`(line: String, value: String) throws {
    #expect(try Message.parse(line)["k"] == value)
  }

  @Test(arguments: [
    ("", "the line is empty"),
    ("  ", "the line is empty"),
    ("Status", "a verb has a 'S' at its start: it begins with a lower-case letter"),
    ("1st", "a verb has a '1' at its start: it begins with a lower-case letter"),
    ("sta_tus", "sta has a '_' after it: it has lower-case letters, digits and '-', then a space"),
    ("status=1", "status has a '=' after it: it has lower-case letters, digits and '-', then a space"),
    ("v 1k", "a key has a '1' at its start: it begins with a letter"),
    ("v k=", #"k has no value: write k="" for an empty one"#),
    ("v k= x", #"k has no value: write k="" for an empty one"#),
    ("v k=a=b", "the value of k has a '=': write it in quotes"),
    (#"v k=a"b""#, "the value of k has a '\"': write it in quotes"),
    (#"v k=a\b"#, "the value of k has a '\\': write it in quotes"),
    (#"v k="a"b"#, "the value of k has a 'b': write it in quotes"),
    (#"v k="a"#, "the quotes of k are not closed"),
    (#"v k="a\"#, "the quotes of k are not closed"),
    (#"v k="\a""#, #"the value of k has an unknown escape: only \" \\ \n \r \t \u00XX"#),
    (#"v k="\u0100""#, #"the value of k has a bad escape: \u00XX has four digits, at most 00FF"#),
    (#"v k="\u00g0""#, #"the value of k has a bad escape: \u00XX has four digits, at most 00FF"#),
    (#"v k="\u00"#, #"the value of k has a bad escape: \u00XX has four digits, at most 00FF"#),
    ("v k=\"a\tb\"", #"the value of k has a control character: write it as \u00XX"#),
    ("v k=\"\\\\\u{7F}\"", #"the value of k has a control character: write it as \u00XX"#),
    ("v\tk", "v has a control character after it: it has lower-case letters, digits and '-', then a space"),
    ("v \u{0}", "a key has a control character at its start: it begins with a letter"),
    ("v é=1", "a key has a byte that is not ASCII at its start: it begins with a letter"),
    ("v k=1 k=2", "k stands twice in the line"),
    ("v k k=2", "k stands twice in the line"),
    ("event", "event needs the name of a notice"),
    ("event K=1", "a notice has a 'K' at its start: it begins with a lower-case letter"),
    ("v a\rb", "a has a control character after it: it has letters, digits and '-', then = and a value"),
  ])
  func `a line that breaks the grammar is refused`(line: String, reason: String) {
    #expect(throws: WireError.malformed(reason: reason)) { try Message.parse(line) }
  }

  @Test(
    arguments: [
      [0xFF],  // no lead byte
      [0xC3],  // a lead byte alone
      [0xC0, 0xAF],  // an overlong slash
      [0xED, 0xA0, 0x80],  // a surrogate
      [0xF5, 0x80, 0x80, 0x80],  // above U+10FFFF
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    let line = Array("v k=".utf8) + bytes
    #expect(throws: WireError.notUTF8) { try Message.parse(line[...]) }
  }

  @Test func `a word has at most 32 bytes`() throws {
    let word = String(repeating: "a", count: 32)
    #expect(try Message.parse("\(word) \(word)=1").verb == word)
    let verb = WireError.malformed(reason: "a verb has at most 32 bytes")
    #expect(throws: verb) { try Message.parse(word + "a") }
    let key = WireError.malformed(reason: "a key has at most 32 bytes")
    #expect(throws: key) { try Message.parse("v \(word)a=1") }
  }

  @Test func `a line has at most 32 fields`() throws {
    let fields = (0..<32).map { "k\($0)=1" }.joined(separator: " ")
    #expect(try Message.parse("v " + fields).fields.count == 32)
    let error = WireError.malformed(reason: "a line has at most 32 fields")
    #expect(throws: error) { try Message.parse("v \(fields) last") }
  }

  @Test func `the word after event is the notice, not a field`() throws {
    let message = try Message.parse("event action notification=7 action=default")
    #expect(message.answer == .event)
    #expect(message.notice == .action)
    #expect(message.fields == [Field("notification", "7"), Field("action", "default")])
    let later = try Message.parse("event later ticket=1")
    #expect(later.noticeName == "later")
    #expect(later.notice == nil)
  }

  @Test func `a parsed slice of a larger buffer is only that slice`() throws {
    let bytes = Array("xx status name=a yy".utf8)
    #expect(try Message.parse(bytes[3..<16]) == Message("status", Field("name", "a")))
  }
}
