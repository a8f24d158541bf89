import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct PlainTextTests {
  /// What a terminal shows of a whole log that comes in these parts, and its end.
  private func shown(_ parts: String..., isWhole: Bool = true) -> String {
    var plain = PlainText(keepsColours: true, isWhole: isWhole)
    let bytes = parts.flatMap { plain.text(ofLog: Array($0.utf8)[...]) }
    return String(decoding: bytes + plain.end(), as: UTF8.self)
  }

  private static let mark = String(decoding: LifeMark.line(pid: 7, at: 1e6), as: UTF8.self)

  @Test(arguments: ["\u{1B}[?1049hdrawn", "\u{1B}]0;title", "\u{1B}[31"])
  func `a life that was killed in the midst of something hides no later one`(end: String) {
    let (mark, expected) = (Self.mark, "\(Self.mark)one\n\(Self.mark)two\n")
    #expect(shown("\(mark)one\n\(end)\n\(mark)two\n") == expected)
    #expect(shown("\(mark)one\n\(end)", "\n\(mark)two\n") == expected)
    #expect(shown("\(mark)one\(end)\n\(mark)two\n") == expected, "each mark has its line")
  }

  @Test func `what stands above the end of another screen is shown, but for what was drawn there`() {
    #expect(shown("one\u{1B}[?1049ltwo") == "onetwo")
    #expect(shown("one\u{1B}[?1049hx\u{1B}[?1049ltwo\u{1B}[?1049lthree") == "onetwothree")
    #expect(shown("drawn\u{1B}[?1049ltwo", isWhole: false) == "two")
    #expect(shown("one\u{1B}[?47hx\u{1B}[?47ltwo\u{1B}[?1049lthree", isWhole: false) == "onetwothree")
    #expect(shown("one", "two\u{1B}[?1049lthree", isWhole: false) == "onetwothree")
    #expect(shown("\(Self.mark)one\u{1B}[?1049ltwo", isWhole: false) == "\(Self.mark)onetwo")
  }

  @Test(arguments: ["\u{1B}]0;title", "\u{1B}Pq"])
  func `a string without an end hides no more than its line`(begin: String) {
    #expect(shown("one\(begin)\ntwo\n") == "one\ntwo\n")
    #expect(shown("one\n\(begin)", "x\ntwo\n") == "one\ntwo\n")
  }

  @Test func `a reset of the terminal leaves the other screen`() {
    #expect(shown("one\u{1B}[?1049hx\u{1B}ctwo") == "onetwo")
    #expect(shown("\u{1B}[31mone\u{1B}ctwo") == "\u{1B}[31mone\u{1B}[0mtwo")
  }

  @Test func `controls of 8 bits are left out, and letters stay`() {
    #expect(shown("a\u{9B}b\u{85}c\u{A0}ä\u{BF}") == "abc\u{A0}ä\u{BF}")
    // Its bytes are C3 and 9B.
    #expect(shown("Û") == "Û")
    var plain = PlainText(keepsColours: true, isWhole: true)
    // By itself it is one of a terminal without UTF-8.
    #expect(
      plain.text(of: [0x61, 0x9B, 0xC3, 0x9B, 0x85, 0xF0, 0x9F, 0x99]) == [
        0x61, 0xC3, 0x9B, 0xF0, 0x9F, 0x99,
      ])
    #expect(plain.text(of: [0x82, 0x82]) == [0x82])
    #expect(plain.text(of: [0xC2]) + plain.text(of: [0x9B, 0xC2]) + plain.text(of: [0xA9]) == [0xC2, 0xA9])
  }

  @Test func `colours end with the output, and with each life`() {
    #expect(shown("\u{1B}[1;31mone\n") == "\u{1B}[1;31mone\n\u{1B}[0m")
    #expect(shown("\u{1B}[31mone\u{1B}[0m\n") == "\u{1B}[31mone\u{1B}[0m\n")
    #expect(shown("\u{1B}[31mone\u{1B}[m\n") == "\u{1B}[31mone\u{1B}[m\n")
    #expect(
      shown("\u{1B}[31mone\n\(Self.mark)two\n") == "\u{1B}[31mone\n\u{1B}[0m\(Self.mark)two\n")
  }

  private func text(_ text: String, isWhole: Bool = true) -> String {
    String(decoding: PlainText.text(Array(text.utf8)[...], isWhole: isWhole), as: UTF8.self)
  }

  @Test func `escape sequences are left out, also those that ask the terminal`() {
    #expect(text("a\u{1B}[31mb\u{1B}[0m\u{1B}[6nc\r\n") == "abc\r\n")
    #expect(text("\u{1B}]0;title\u{7}x\u{1B}P+q\u{1B}\\y\u{1B}(Bz\u{1B}c") == "xyz")
    #expect(text("\u{5}ü\u{1B}[?25") == "ü")
  }

  @Test func `what was drawn on the other screen is left out, also without its beginning`() {
    #expect(text("a\u{1B}[?1049h~\r\n~\u{1B}[?1049lb") == "ab")
    #expect(text("~\r\n~\u{1B}[?25h~\u{1B}[?1049;1lb", isWhole: false) == "b")
    #expect(text("a\u{1B}[?47hb") == "a")
  }

  @Test func `colours stay where a log is shown, and nothing else`() {
    var plain = PlainText(keepsColours: true, isWhole: true)
    let parts = ["a\u{1B}[3", "1mb\u{1B}[K\u{1B}[2J\u{1B}[>4;2mc\u{1B}[6", "n\u{1B}[0m"]
    let shown = parts.flatMap { plain.text(of: Array($0.utf8)[...]) }
    #expect(String(decoding: shown, as: UTF8.self) == "a\u{1B}[31mb\u{1B}[Kc\u{1B}[0m")
  }
}
