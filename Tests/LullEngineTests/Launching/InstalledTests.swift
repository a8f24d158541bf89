import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@Suite(.bounded) struct InstalledTests {
  /// A story with an installed command that runs.
  private func running(_ name: String = "phone", policy: Policy = Script.prompt) -> Script {
    var script = Script(policy: policy)
    script.ask(.admit(name, .boot))
    script.start(name)
    return script
  }

  @Test func `it is started at the boot, and after a crash`() {
    var script = Script()
    #expect(script.ask(.admit("phone", .boot)) == ["ok", "start phone, boot"])
    #expect(script.installed("phone") == .starting)
    script.start("phone")
    #expect(script.installed("phone") == .running)
    script.exited("phone", .signaled(11))
    #expect(script.installed("phone") == .waiting)
    #expect(script.pass(to: 0.999) == [])
    #expect(script.pass(to: 1) == ["1 s: start phone, crash"])
  }

  @Test(arguments: [
    ExitStatus.exited(0), .signaled(1), .signaled(2), .signaled(3), .signaled(15), .exited(143),
  ])
  func `an end that was wanted is no crash`(status: ExitStatus) {
    var script = running()
    script.exited("phone", status)
    #expect(script.installed("phone") == .ended)
    #expect(script.pass(to: 10_000) == [])
  }

  @Test(arguments: [ExitStatus.exited(1), .signaled(9), .signaled(6), .unknown])
  func `any other end is a crash`(status: ExitStatus) {
    var script = running()
    script.exited("phone", status)
    #expect(script.installed("phone") == .waiting)
  }

  @Test func `an end after a signal that asks for it is no crash for a minute`() {
    var script = running()
    script.feed(.ending(script.id("phone")))
    script.pass(to: 60)
    script.exited("phone", .exited(1))
    #expect(script.installed("phone") == .ended)

    var other = running()
    other.feed(.ending(other.id("phone")))
    other.pass(to: 61)
    other.exited("phone", .exited(1))
    #expect(other.installed("phone") == .waiting)
  }

  @Test func `a kill for a limit is a crash`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.register("phone")
    #expect(script.pass(to: 5).contains("5 s: kill phone, launch-limit"))
    script.exited("phone", .signaled(9))
    #expect(script.installed("phone") == .waiting)
  }

  @Test func `what is quit is started by nothing but the user`() {
    var script = running()
    script.ask(.keepAlive(script.id("phone"), .seconds(600), lastRun: nil))
    script.ask(.forceQuit("phone"))
    script.command("phone", .quit)
    script.exited("phone", .exited(1))
    #expect(script.installed("phone") == .quit)
    #expect(script.pass(to: 10_000) == [])
    for reason in LaunchReason.allCases where reason != .user {
      script.ask(.launch("phone", Launch(reason)))
      #expect(script.answer == .refused(.wasQuit("phone")))
    }
    #expect(script.ask(.launch("phone", Launch(.user))) == ["ok", "start phone, user"])
    #expect(script.installed("phone") == .starting)
  }

  @Test func `a start that fails is tried again after the same waits`() {
    var script = Script()
    script.ask(.admit("phone", .boot))
    script.ask(.launchFailed(program: "phone"))
    #expect(script.installed("phone") == .failed)
    #expect(script.pass(to: 1) == ["1 s: start phone, boot"])
    script.ask(.launchFailed(program: "phone"))
    #expect(script.pass(to: 3) == ["3 s: start phone, boot"])
    script.start("phone")
    script.ask(.launchFailed(program: "phone"))
    #expect(script.installed("phone") == .running)
  }

  @Test func `an error in its file is no crash, and it is not tried again by itself`() {
    var script = Script()
    script.ask(.admit("phone", .boot))
    #expect(script.ask(.launchFailed(program: "phone", isMisconfigured: true)) == ["ok"])
    #expect(script.installed("phone") == .misconfigured)
    #expect(script.engine.installed("phone")?.crashes == 0)
    #expect(script.pass(to: 10_000) == [])
    #expect(script.ask(.launch("phone", Launch(.boot))) == ["ok", "start phone, boot"])
    #expect(script.installed("phone") == .starting)
    #expect(script.engine.installed("phone")?.reason == .boot)
  }

  @Test func `the next engine starts what was to be started for the same reason, and waits as long`() {
    var script = Script()
    script.ask(.admit("phone", .boot))
    script.ask(.launchFailed(program: "phone"))
    script.ask(.launchFailed(program: "phone"))
    let phone = script.engine.installed("phone")
    #expect(phone?.memory == .waiting)
    var next = Script()
    next.ask(.admit("phone", .waiting, phone?.past ?? InstalledPast()))
    #expect(next.pass(to: 0.999) == [])
    #expect(next.pass(to: 1) == ["1 s: start phone, boot"])
    var other = Script()
    #expect(other.ask(.admit("tea", .waiting, .init(reason: .user))) == ["ok", "start tea, user"])
  }

  @Test func `the keep-alive of one that has ended goes on under the next engine`() throws {
    var script = running()
    script.ask(.keepAlive(script.id("phone"), .seconds(600), lastRun: nil))
    script.pass(to: 100)
    script.exited("phone", .exited(0))
    let phone = try #require(script.engine.installed("phone"))
    #expect(phone.memory == .ended)
    var next = Script()
    next.pass(to: 200)
    next.ask(.admit("phone", .ended, phone.past))
    #expect(next.engine.installed("phone")?.starts == phone.starts)
  }

  @Test func `a command that was asked to end under the engine before is not asked twice`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    let registered = script.register("phone") {
      $0.speaks = false
      $0.ending = .purged
    }
    #expect(registered == ["ok, active"])
    #expect(script.command("phone", .quit) == ["ok"])
    #expect(script.pass(to: 5) == ["5 s: kill phone, purged"])
    script.exited("phone", .signaled(9))
    #expect(script.installed("phone") == .ended)
    var other = Script()
    other.ask(.admit("phone", .ended))
    let now = other.now
    other.register("phone") {
      $0.speaks = false
      $0.askedToEnd = now
    }
    other.exited("phone", .exited(1))
    #expect(other.installed("phone") == .ended)
  }

  @Test func `what is lost counts as crashed, and what runs is taken back`() {
    var script = Script()
    script.register("phone") { $0.speaks = false }
    #expect(script.ask(.admit("phone", .lost)) == ["ok"])
    #expect(script.installed("phone") == .running)
    #expect(script.ask(.admit("music", .lost)) == ["ok"])
    #expect(script.pass(to: 1).contains("1 s: start music, crash"))
  }

  @Test func `the next engine is told of what was quit and of what has ended`() {
    var script = Script()
    var effects: [Effect] = []
    var engine = script.engine
    _ = engine.handle(.admit("phone", .ended), at: script.now, effects: &effects)
    #expect(effects.contains(.recordInstalled))
    #expect(engine.installed("phone")?.memory == .ended)
    effects = []
    _ = engine.handle(.forceQuit("phone"), at: script.now, effects: &effects)
    #expect(effects == [.recordInstalled])
    #expect(engine.installed("phone")?.memory == .quit)
    script.ask(.admit("phone", .boot))
    #expect(script.engine.installed("phone")?.memory == .waiting)
  }
}
