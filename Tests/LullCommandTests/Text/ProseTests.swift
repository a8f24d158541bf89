import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ProseTests {
  @Test func `lines are broken at blanks and go on indented`() {
    #expect(Prose.wrapped("one two three four\n", columns: 13) == "one two three\n  four\n")
    #expect(Prose.wrapped("  one two three", columns: 9) == "  one two\n    three")
    #expect(Prose.wrapped("yes  name  a b c", columns: 12, hanging: 5) == "yes  name  a\n     b c")
  }

  @Test func `what fits is left as it is, and so is everything without a width`() {
    for text in ["", "\n", "one\n\ntwo\n", "  a  b\n"] { #expect(Prose.wrapped(text, columns: 20) == text) }
    #expect(Prose.wrapped("one two", columns: nil) == "one two")
  }

  @Test func `a word that is longer than the line stays whole`() {
    #expect(Prose.wrapped("a /very/long/path b", columns: 8) == "a\n  /very/long/path\n  b")
  }

  @Test func `colour has no width`() {
    let bold = "\u{1B}[1mphone\u{1B}[0m is asleep"
    #expect(Prose.wrapped(bold, columns: 15) == bold)
    #expect(Prose.wrapped(bold, columns: 14) == "\u{1B}[1mphone\u{1B}[0m is\n  asleep")
  }
}
