import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct PrintableTests {
  @Test(arguments: [
    ("plain \u{FC} \u{1F642}", "plain \u{FC} \u{1F642}"),
    ("a\u{1B}[2J\u{9B}b", "a\\u{1B}[2J\\u{9B}b"),  // a terminal's sequences
    ("a\nb\rc\td", "a\\u{A}b\\u{D}c\\u{9}d"),  // the end of a line
    ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
    ("a\u{202E}b\u{2066}c\u{200F}d", "a\\u{202E}b\\u{2066}c\\u{200F}d"),  // the direction of writing
    ("a\u{0}b\u{7F}c", "a\\u{0}b\\u{7F}c"), ("", ""),
  ])
  func `text of others neither steers a terminal nor hides what it is`(text: String, printed: String) {
    #expect(Printable.text(text) == printed)
  }

  @Test func `the ends of text lines stay`() {
    #expect(Printable.lines("a\u{9B}\n\nb\u{1B}\n") == "a\\u{9B}\n\nb\\u{1B}\n")
  }
}
