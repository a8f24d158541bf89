import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct QuitTests {
  @Test func `an awake program is told and killed when the message returns`() {
    var script = Script()
    script.launched("phone")
    #expect(script.command("phone", .quit) == ["ok", "phone: willTerminate"])
    #expect(script.did("phone") == ["kill phone, quit"])
    #expect(script.feed(.exited(script.id("phone"), .signaled(9))) == ["forget phone"])
  }

  @Test func `a program that does not return from willTerminate is killed after 5 s`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .quit)
    #expect(script.pass(to: 4.9) == [])
    #expect(script.pass(to: 100) == ["5 s: kill phone, quit"])
  }

  @Test func `a suspended program gets no message before it is killed`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.command("phone", .quit) == ["ok", "kill phone, quit"])
  }

  @Test func `a sleeping command is thawed, gets SIGTERM and 5 s, and is not frozen again`() {
    var script = Script()
    script.commandAsleep("nc")
    #expect(script.command("nc", .quit) == ["ok", "thaw nc", "SIGTERM to nc"])
    #expect(script.pass(to: 103) == [])
    #expect(script.ready("nc", .data) == [])
    #expect(script.command("nc", .quit) == ["ok"])
    #expect(script.pass(to: 200) == ["105 s: kill nc, quit"])
  }

  @Test func `it is killed at once where that is asked, also on its way out`() {
    var script = Script()
    script.commandAsleep("nc")
    #expect(script.command("nc", .kill) == ["ok", "kill nc, quit"])
    #expect(script.command("nc", .kill) == ["ok"])
    var asked = Script()
    asked.commandAsleep("nc")
    asked.command("nc", .quit)
    #expect(asked.engine.timeToEnd(of: asked.id("nc"), at: asked.now) == .seconds(5))
    asked.pass(to: 101)
    #expect(asked.engine.timeToEnd(of: asked.id("nc"), at: asked.now) == .seconds(4))
    #expect(asked.command("nc", .kill) == ["ok", "kill nc, quit"])
    #expect(asked.engine.timeToEnd(of: asked.id("nc"), at: asked.now) == nil)
  }

  @Test func `a command gets SIGTERM and 5 s`() {
    var script = Script()
    script.register("nc") { $0.speaks = false }
    #expect(script.command("nc", .quit) == ["ok", "SIGTERM to nc"])
    #expect(script.pass(to: 60) == ["5 s: kill nc, quit"])
  }

  @Test func `a command that obeys is not killed`() {
    var script = Script()
    script.register("nc") { $0.speaks = false }
    script.command("nc", .quit)
    script.pass(to: 1)
    #expect(script.feed(.exited(script.id("nc"), .signaled(15))) == ["forget nc"])
    #expect(script.pass(to: 60) == [])
  }

  @Test func `quit during a transition replaces the messages that have not gone out`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    #expect(script.command("phone", .quit) == ["ok"])
    #expect(script.did("phone") == ["phone: willTerminate"])
    #expect(script.did("phone") == ["kill phone, quit"])
  }

  @Test func `a second quit changes nothing`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .quit)
    script.pass(to: 3)
    #expect(script.command("phone", .quit) == ["ok"])
    #expect(script.pass(to: 10) == ["5 s: kill phone, quit"])
  }

  @Test func `a program on its way out is neither woken nor frozen, and refuses requests`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.command("phone", .quit)
    #expect(try script.leases("phone") == [.transition, .wake])
    script.keepAlive("phone", 600)
    #expect(script.refusal == .gone)
    script.beginTask("phone")
    #expect(script.refusal == .gone)
    script.command("phone", .background)
    #expect(script.refusal == .gone)
    #expect(script.pass(to: 100) == ["5 s: kill phone, quit"])
  }
}

@Suite(.bounded) struct ExitsOnSuspendTests {
  private func launched() -> Script {
    var script = Script()
    script.launched("mail") { $0.settings.exitsOnSuspend = true }
    return script
  }

  @Test func `it is terminated instead of going to the background`() {
    var script = launched()
    #expect(script.command("mail", .background) == ["ok", "mail: willResignActive"])
    #expect(script.did("mail") == ["mail: willTerminate"])
    #expect(script.state("mail") == .inactive)
    #expect(script.did("mail") == ["kill mail, exits-on-suspend"])
  }

  @Test func `it has 5 s to return from willTerminate`() {
    var script = launched()
    script.command("mail", .background)
    script.did("mail")
    #expect(script.pass(to: 60) == ["5 s: kill mail, terminate-limit"])
  }

  @Test func `launched for an event it is terminated where it would be suspended`() {
    var script = Script()
    script.register("mail") {
      $0.settings.exitsOnSuspend = true
      $0.launch = .background
    }
    for _ in 0..<3 { script.did("mail") }
    #expect(script.pass(to: 9) == [])
    #expect(script.pass(to: 10) == ["10 s: mail: willTerminate"])
    #expect(script.did("mail") == ["kill mail, exits-on-suspend"])
  }

  @Test func `a change of mind comes too late`() {
    var script = launched()
    script.command("mail", .background)
    script.command("mail", .foreground)
    #expect(script.refusal == .gone)
  }
}
