import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ExplanationTextTests {
  private static let page =
    #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" } + "/docs/PROTOCOL-WORDS.md"

  /// With `LULL_GOLDEN=write` the rows of the page are written anew.
  @Test func `the page has each word with its sentence`() throws {
    let rows = Explanation.Word.allCases.map { word in
      "| `\(word.rawValue)` | `\(ExplanationText.sentences[word] ?? "")` |"
    }
    let lines = String(decoding: try Files.read(Self.page, limit: 1 << 20), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.lastIndex { $0.hasPrefix("|---") }) + 1
    let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    if Identity.environment("LULL_GOLDEN") == "write" {
      let text = (lines[..<start] + rows + lines[end...]).joined(separator: "\n")
      try Files.replace(Self.page, with: Array(text.utf8))
    } else {
      #expect(Array(lines[start..<end]) == rows)
    }
  }

  @Test(arguments: Explanation.Word.allCases)
  func `every word has a sentence, which names facts that there are`(word: Explanation.Word) throws {
    try #require(ExplanationText.sentences[word] != nil)
    let why = Explanation(
      word, name: "phone", programs: ["a", "b"], number: 7, count: 3, limit: 600, seconds: 1.5, pid: 4710,
      thread: 4711, bytes: 2048, bytesBefore: 9 << 20, bytesAfter: 3 << 20, text: "text", error: "error")
    let whole = ExplanationText.sentence(why)
    #expect(whole != why.line && !whole.contains { "{}[]".contains($0) }, "\(whole)")
    // Without a fact that it needs the word and the facts are shown as they came.
    let least = ExplanationText.sentence(Explanation(word))
    #expect(!least.isEmpty && !least.contains { "{}[]".contains($0) }, "\(least)")
  }

  @Test(arguments: [
    (Explanation(.unknownProgram, name: "x", text: "y"), #"no program "x"; did you mean "y"?"#),
    (.init(.notInstalled, name: "x"), #"x is not installed; "lull install" does it"#),
    (.init(.lineUnread, number: 3, text: "udp 127.0.0.1:5060"), "line 3, udp 127.0.0.1:5060"),
    (.init(.lineUnread, number: 3, bytes: 12), "line 3, closed, 12 bytes"),
    (
      .init(.keepaliveTooShort, limit: 600, seconds: 599.5),
      "a keep-alive of 599.5 s is too short; the shortest is 600 s"
    ),
    (.init(.wakesItself, seconds: 0.05), "it wakes every 50 ms"),
    (.init(.purgeAsked, bytes: 1024), "asked to end; held 1 KiB"),
    (.init(.purgeKilled), "the operator asked for it"),
    (.init(.residentFell, bytesBefore: 300 << 20, bytesAfter: 20 << 20), "from 300 to 20 MiB"),
    (
      .init(.startsIn, name: "x", count: 1, seconds: 1.2),
      #"in 2 s: it crashed or could not be started, once; see "lull logs x""#
    ),
    (
      .init(.severalTakeLinks, programs: ["a", "b"], count: 2, text: "sip"),
      "2 programs take sip: links (a, b); name one of them"
    ),
    (.init(.playerSilent), "no sound: lull-player did not begin to play"),
    (.init(.wrongMode, text: "{name}[x]"), #"the program has to declare the mode "{name}[x]" for this"#),
  ])
  func `the facts stand in the sentence`(why: Explanation, sentence: String) {
    #expect(ExplanationText.sentence(why.line) == sentence)
  }

  @Test(arguments: [
    "not now", "no program \"phone\"; see `lull list`", "too-sleepy name=phone", "suspended", "",
  ])
  func `what an older or a newer daemon says is shown as it is`(text: String) {
    #expect(ExplanationText.sentence(text) == text)
  }

  @Test(arguments: Unwatchable.allCases) func `what nobody can watch has a name`(what: Unwatchable) {
    #expect(ExplanationText.sentence(what.rawValue) == ExplanationText.sentence(what))
  }
}
