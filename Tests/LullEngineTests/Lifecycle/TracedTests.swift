import LullEngine
import TestSupport
import Testing

/// A program is not killed for a limit while a debugger traces it.
@Suite(.bounded) struct TracedTests {
  /// The shell's tick: it tells first that `traced` are traced, as far as they are overdue.
  private func tick(_ script: inout Script, at seconds: Double, _ traced: String...) -> [String] {
    script.jump(to: seconds)
    var lines: [String] = []
    for id in script.engine.overdue(at: script.now) where traced.contains(where: { script.id($0) == id }) {
      lines += script.feed(.traced(id))
    }
    return lines + script.feed(.tick)
  }

  @Test func `its launch may take as long as it is traced, and its tracer's end ends that`() {
    var script = Script()
    script.register("phone")
    script.register("other")
    #expect(script.engine.overdue(at: Moment(4.9)).isEmpty)
    #expect(tick(&script, at: 5, "phone") == ["kill other, launch-limit"])
    #expect(script.takeNotes().count { $0 == .limitStands } == 1)
    #expect(script.engine.deadline == Moment(10))
    #expect(tick(&script, at: 10, "phone") == [])
    #expect(!script.takeNotes().contains(.limitStands))
    #expect(tick(&script, at: 15) == ["kill phone, launch-limit"])
  }

  @Test func `what it does in that time keeps the limit`() {
    var script = Script()
    script.register("phone")
    _ = tick(&script, at: 5, "phone")
    script.jump(to: 9)
    for _ in 0..<3 { script.did("phone") }
    #expect(script.state("phone") == .active)
    #expect(script.pass(to: 100) == [])
  }

  @Test func `a late shell puts the limit off from the moment at which it looks`() {
    var script = Script()
    script.register("phone")
    #expect(tick(&script, at: 60, "phone") == [])
    #expect(script.engine.deadline == Moment(65))
  }

  @Test func `the end of a delegate message, of tasks, and of who exits on suspend stands still`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    script.launched("mail")
    script.beginTask("mail")
    script.sendToBackground("mail")
    script.launched("game") { $0.settings.exitsOnSuspend = true }
    script.command("game", .background)
    script.did("game")
    #expect(tick(&script, at: 5, "phone", "game") == [])
    _ = tick(&script, at: 10)
    script.pass(to: 595)
    #expect(tick(&script, at: 600, "mail") == [])
    #expect(tick(&script, at: 605) == ["kill mail, task-limit"])
  }

  @Test func `an end that somebody asked for is not put off, and who is not overdue is not touched`() {
    var script = Script()
    script.launched("phone")
    script.feed(.traced(script.id("phone")))
    script.command("phone", .quit)
    #expect(script.engine.overdue(at: Moment(5)).isEmpty)
    script.jump(to: 5)
    script.feed(.traced(script.id("phone")))
    #expect(script.feed(.tick) == ["kill phone, quit"])
  }
}
