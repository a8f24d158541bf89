import Fuzzing
import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct ExplanationTests {
  @Test func `a word and its facts are one text line, and are read back`() throws {
    let why = Explanation(.tooManyLines, limit: 256)
    #expect(why.line == "too-many-lines limit=256")
    let reply = Reply.error(.tooManyLines, why)
    #expect(reply == .error(code: .tooManyLines, message: "too-many-lines limit=256"))
    #expect(try Reply(Message.parse(reply.message.encoded()[...])) == reply)
    #expect(Explanation("too-many-lines limit=256") == why)
  }

  @Test(arguments: Explanation.Word.allCases)
  func `what is written is read back`(word: Explanation.Word) throws {
    #expect(Grammar.isVerb(word.rawValue))
    // A plain detail, such as the word of a state, must not pass for one.
    #expect(word.rawValue.contains("-"))
    var random = RandomFields(
      generator: SplitMix64(seed: SplitMix64.seed(for: "explanation \(word.rawValue)")))
    var count = 0
    for _ in 0..<100 where count < 3 {
      guard let why = try? Explanation(word).visited(by: &random) else { continue }
      count += 1
      try #require(Explanation(why.line) == why)
      let bytes = try Reply.error(.refused, why).message.encoded()
      #expect(try Message.parse(bytes[...])[.message] == why.line)
    }
    #expect(count == 3)
  }

  @Test(arguments: [
    "", "no program \"phoen\"; did you mean \"phone\"?", "suspended", "3", "too-sleepy name=a",
    "call-rings tone=a",
    "call-rings a call rings", "name-in-use name=a name=b", "no-such-line number=x",
  ])
  func `a sentence, a plain detail and what only a newer version knows are no explanation`(text: String) {
    #expect(Explanation(text) == nil)
  }

  @Test func `a fact that is too long is shortened, and the rest stays`() throws {
    let path = String(repeating: "\"", count: 5000)
    let why = try #require(Explanation(Explanation(.hookNotRun, text: path, error: "e").line))
    #expect(why.error == "e" && why.text?.hasSuffix("...") == true)
    var bytes: [UInt8] = []
    Reply.error(.refused, .init(.hookNotRun, text: path, error: "e")).message.encodeTruncating(into: &bytes)
    #expect(try Message.parse(bytes[...])[.code] == "refused")
  }
}
