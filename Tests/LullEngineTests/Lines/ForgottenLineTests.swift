import LullEngine
import TestSupport
import Testing

/// A line that is no longer watched by itself, such as a line whose set has grown.
@Suite(.bounded) struct ForgottenLineTests {
  /// A command that is asleep since 2 s with a connection that it opened.
  private static func asleep() -> Script {
    var script = Script.observed()
    script.find("server", .opened)
    script.sleeps(.idle)
    return script
  }

  @Test func `is gone, and nothing else happens`() throws {
    var script = Self.asleep()
    #expect(try script.view("server").lines.map(\.id) == [LineID(1)])
    _ = script.takeNotes()
    #expect(script.feed(.lineForgotten(script.id("server"), LineID(1))) == [])
    #expect(script.takeNotes() == [])
    #expect(try script.view("server").lines.isEmpty)
    #expect(script.state("server") == .suspended)
  }

  @Test func `wakes nobody, neither by its bytes nor by its end`() {
    var script = Self.asleep()
    let id = script.id("server")
    script.feed(.lineForgotten(id, LineID(1)))
    #expect(script.ready("server", .data) == [])
    #expect(script.ready("server", .closed) == [])
    #expect(script.feed(.lineLost(id, LineID(1))) == [])
    #expect(script.state("server") == .suspended)
  }

  @Test func `gives no grace as a lost one does, in the middle of a look`() {
    for (isLost, look) in [(false, "watch server"), (true, "")] {
      var script = Self.asleep()
      script.pass(to: 100)
      script.ready("server", .data)
      script.pass(to: 100.025)
      let id = script.id("server")
      let effects = script.feed(isLost ? .lineLost(id, LineID(1)) : .lineForgotten(id, LineID(1)))
      #expect(effects.isEmpty == !isLost)
      script.find("server", .opened)
      #expect(script.observe(Observation([.waiting(.sources)], [.line(2)])) == look)
    }
  }

  @Test func `the others stay`() throws {
    var script = Self.asleep()
    script.pass(to: 100)
    script.ready("server", .data)
    script.pass(to: 100.025)
    script.find("server", .opened)
    script.feed(.lineForgotten(script.id("server"), LineID(1)))
    script.sleeps(Observation([.waiting(.sources)], [.line(2)]))
    #expect(try script.view("server").lines.map(\.id) == [LineID(2)])
    let effects = script.feed(.ready(script.id("server"), LineID(2), .data))
    #expect(effects.last == "server: woke, data on line 2")
  }
}
