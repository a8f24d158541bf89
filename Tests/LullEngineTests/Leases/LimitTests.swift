import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct LimitTests {
  @Test func `a launch that is not over after 5 s is killed, whichever message hangs`() {
    var hangs = Script()
    hangs.register("phone")
    #expect(hangs.pass(to: 4.9) == [])
    #expect(hangs.pass(to: 5) == ["5 s: kill phone, launch-limit"])

    var slow = Script()
    slow.register("phone")
    slow.pass(to: 3)
    slow.did("phone")
    #expect(slow.pass(to: 60) == ["5 s: kill phone, launch-limit"])
    #expect(slow.takeNotes().last == .killed(.launchLimit))
  }

  @Test func `didBecomeActive and willEnterForeground have no limit`() {
    var script = Script()
    script.register("phone")
    script.did("phone")
    script.did("phone")
    #expect(script.pass(to: 3600) == [])
    script.did("phone")
    script.sendToBackground("phone")
    script.frozen("phone")
    script.command("phone", .foreground)
    #expect(script.pass(to: 7200) == [])
  }

  @Test func `willResignActive and didEnterBackground have 5 s each`() {
    var first = Script()
    first.launched("phone")
    first.command("phone", .background)
    #expect(first.pass(to: 5) == ["5 s: kill phone, background-limit"])

    var second = Script()
    second.launched("phone")
    second.command("phone", .background)
    second.pass(to: 4)
    second.did("phone")
    #expect(second.pass(to: 8.9) == [])
    #expect(second.pass(to: 9) == ["9 s: kill phone, background-limit"])
  }

  @Test func `a killed program refuses requests until its end is told, then it is forgotten`() {
    var script = Script()
    script.register("phone")
    script.pass(to: 5)
    script.hold("phone")
    #expect(script.refusal == .gone)
    script.command("phone", .foreground)
    #expect(script.refusal == .gone)
    #expect(script.command("phone", .quit) == ["ok"])
    #expect(script.feed(.exited(script.id("phone"), .signaled(9))) == ["forget phone"])
    #expect(script.engine.programs.isEmpty)
    #expect(script.pass(to: 1000) == [])
  }

  @Test func `an answer that comes after the kill changes nothing`() {
    var script = Script()
    script.register("phone")
    let ticket = script.messageTicket("phone")
    script.pass(to: 5)
    #expect(script.feed(.did(script.id("phone"), ticket)) == [])
    #expect(script.feed(.done(script.id("phone"), ticket)) == [])
    #expect(script.ready("phone") == [])
  }

  @Test func `a shell that is late kills once`() {
    var script = Script()
    script.register("phone")
    script.jump(to: 100)
    #expect(script.feed(.tick) == ["kill phone, launch-limit"])
    #expect(script.feed(.tick) == [])
    #expect(script.engine.deadline == nil)
  }
}
