import LullEngine
import TestSupport
import Testing

/// A thread of a program on the library that waits for a name server.
@Suite(.bounded) struct QueryRuleTests {
  private static func asking(_ socket: UInt64, for seconds: Double = 5) -> Observation {
    var thread = ObservedThread.waiting(.sources, for: seconds)
    thread.query = socket
    return Observation([.waiting(.sources), thread])
  }

  private static func phone() -> Script {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    return script
  }

  @Test func `it keeps the program awake until it is over`() {
    var script = Self.phone()
    #expect(script.observed("phone", Self.asking(7)) == ["thaw phone"])
    script.pass(to: 2)
    #expect(script.observed("phone", Self.asking(7)) == ["thaw phone"])
    script.pass(to: 6)
    #expect(script.observed("phone", Observation([.waiting(.sources)])) == ["watch phone"])
  }

  @Test func `a socket that is always waited for keeps it awake once, for half a minute at most`() {
    var script = Self.phone()
    while script.observed("phone", Self.asking(7)) == ["thaw phone"] {
      guard let retry = script.engine.deadline else { break }
      script.pass(to: (retry - Moment(0)).seconds)
    }
    let slept = (script.now - Moment(0)).seconds
    #expect((30...65).contains(slept), "\(slept)")
    script.frozen("phone")
    script.command("phone", .wake)
    script.done("phone")
    #expect(script.observed("phone", Self.asking(7)) == ["watch phone"])
  }

  @Test func `a wait of more than half a minute is none`() {
    var script = Self.phone()
    #expect(script.observed("phone", Self.asking(7, for: 31)) == ["watch phone"])
  }
}
