import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct ReplyTests {
  @Test func `replies are written and read back`() throws {
    let error = Reply.error(code: .busy, message: "softphone is being frozen")
    #expect(try line(error.message) == "error code=busy message=\"softphone is being frozen\"\n")
    #expect(try Reply(Message.parse("error code=busy message=\"softphone is being frozen\"")) == error)
    #expect(try line(Reply.ok.message) == "ok\n")
    let ok = Reply.ok(Message(.ok).adding(.count, 2))
    #expect(try line(ok.message) == "ok count=2\n")
    #expect(try Reply(Message.parse("ok count=2")) == ok)
  }

  @Test(arguments: Code.allCases)
  func `every code is read back`(code: Code) throws {
    let reply = Reply.error(code: code, message: "m")
    #expect(try Reply(Message.parse(reply.message.encoded()[...])) == reply)
  }

  @Test func `items and notices are no replies`() throws {
    #expect(try Reply(Message(item: .daemon)) == nil)
    #expect(try Reply(Message(event: .wake)) == nil)
  }

  @Test func `what no daemon writes is refused`() throws {
    let error = WireError.malformed(reason: #"a reply does not start with "hello""#)
    #expect(throws: error) { try Reply(Message("hello")) }
    #expect(throws: WireError.missingField("code")) { try Reply(Message(.error)) }
  }

  @Test func `a code of a later version is unsupported and still shown`() throws {
    let reply = try Reply(Message.parse("error code=too-sleepy message=later"))
    #expect(reply == .error(code: .unsupported, message: "too-sleepy: later"))
  }

  @Test(arguments: [
    (WireError.malformed(reason: "r"), Code.malformed, "r"),
    (.notUTF8, .notUTF8, "the line is not UTF-8"),
    (.tooLong, .tooLong, "a line has at most 4096 bytes"),
    (.unknownVerb("v", suggestion: nil), .unknownVerb, "unknown verb \"v\""),
    (.missingField("k"), .missingField, "k is missing"),
    (.badValue(key: "k", value: "v", expected: "e"), .badValue, "k=\"v\": expected e"),
    (.unknownField("k", verb: "v", known: ["a", "b"]), .badValue, "unknown field \"k\": v knows only a, b"),
  ])
  func `every error of a line becomes a reply`(error: WireError, code: Code, message: String) {
    #expect(Reply(error) == .error(code: code, message: message))
  }
}
