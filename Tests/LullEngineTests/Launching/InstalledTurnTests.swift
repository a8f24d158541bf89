import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The turns of installed programs, and the keep-alive of a program that does not run.
@Suite(.bounded) struct InstalledTurnTests {
  private let names = ["a", "b", "c", "d", "e", "f"]

  @Test func `four are starting at once, and the next one follows when a start is over`() {
    var script = Script()
    for name in names { script.ask(.admit(name, .boot)) }
    #expect(names.map { script.installed($0) == .starting } == [true, true, true, true, false, false])
    script.register("b") { $0.speaks = false }
    #expect(script.pass(to: 0.149) == [])
    #expect(script.pass(to: 0.15) == ["0.15 s: start e, boot"])
    #expect(script.ask(.launchFailed(program: "c")) == ["ok", "start f, boot"])
  }

  @Test func `the start of a program on the library lasts until its launch is over`() {
    var script = Script()
    for name in names.prefix(5) { script.ask(.admit(name, .boot)) }
    script.register("a") { $0.launch = .background }
    #expect(script.pass(to: 4) == [])
    #expect(script.did("a") == ["a: didFinishLaunching"])
    #expect(script.did("a") == ["a: didEnterBackground"])
    #expect(script.did("a") == ["start e, boot"])
  }

  @Test func `what is needed now does not wait for its turn`() {
    var script = Script()
    for name in names { script.ask(.admit(name, .boot)) }
    #expect(script.ask(.launch("f", Launch(.data))) == ["ok", "start f, data"])
    #expect(script.installed("f") == .starting)
    #expect(script.installed("e") == .waiting)
  }

  @Test func `what has come, and is still in its start, takes no place from what is needed now`() {
    var policy = Script.prompt
    policy.launchesAtOnce = 1
    var script = Script(policy: policy)
    script.ask(.admit("a", .ended))
    #expect(script.ask(.launch("a", Launch(.data))) == ["ok", "start a, data"])
    script.register("a") { $0.launch = .background }
    #expect(script.ask(.launch("b", Launch(.data))) == ["ok", "start b, data"])
  }

  @Test func `a crash goes before the boot`() {
    var script = Script()
    script.ask(.admit("z", .ended))
    script.register("z") { $0.speaks = false }
    script.pass(to: 1)
    script.exited("z", .exited(1))
    for name in names { script.ask(.admit(name, .boot)) }
    script.pass(to: 2)
    #expect(script.ask(.launchFailed(program: "a")) == ["ok", "start z, crash"])
  }

  @Test func `data comes at once within the wait, and waits for what dies at each start`() {
    var script = Script()
    script.ask(.admit("phone", .boot))
    for crash in 1...2 {
      script.start("phone")
      script.exited("phone", .exited(1))
      #expect(script.ask(.launch("phone", Launch(.data))) == ["ok", "start phone, data"], "crash \(crash)")
    }
    script.start("phone")
    script.exited("phone", .exited(1))
    script.ask(.launch("phone", Launch(.data)))
    #expect(script.answer == .refused(.crashes("phone", wait: .seconds(4))))
    #expect(script.pass(to: 4) == ["4 s: start phone, data"])
    script.start("phone")
    script.exited("phone", .exited(1))
    #expect(script.ask(.launch("phone", Launch(.url))) == ["ok", "start phone, url"])
  }

  @Test func `a program that nobody installed is started for whatever needs it`() {
    var script = Script()
    #expect(script.ask(.launch("phone", Launch(.notification))) == ["ok", "start phone, notification"])
    script.register("phone")
    script.ask(.launch("phone", Launch(.notification)))
    #expect(script.answer == .refused(.nameInUse("phone")))
  }

  @Test func `a keep-alive that is due starts the program, and its start counts as the run`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.register("phone") {
      ($0.speaks, $0.launch, $0.settings.keepAlive) = (false, .background, .seconds(600))
    }
    script.exited("phone", .exited(0))
    #expect(script.pass(to: 599.9) == [])
    #expect(script.pass(to: 600) == ["600 s: start phone, keepalive"])
    #expect(script.engine.installed("phone")?.lastKeepAliveRun == Moment(600))
    script.ask(.launchFailed(program: "phone"))
    #expect(script.pass(to: 601) == ["601 s: start phone, keepalive"])
  }

  @Test func `it runs with the keep-alive of another, once its window is open`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.register("phone") {
      ($0.speaks, $0.launch, $0.settings.keepAlive, $0.keepAliveLastRun) =
        (false, .background, .seconds(1000), Moment(0))
    }
    script.exited("phone", .exited(0))
    script.register("music") {
      ($0.speaks, $0.launch, $0.settings.keepAlive) = (false, .background, .seconds(800))
    }
    #expect(script.pass(to: 800).contains("800 s: start phone, keepalive"))
  }

  @Test func `one that ended in the foreground is not started for its keep-alive at once`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.register("phone")
    for _ in 0..<3 { script.did("phone") }
    script.ask(.keepAlive(script.id("phone"), .seconds(600), lastRun: nil))
    script.pass(to: 1000)
    script.exited("phone", .exited(0))
    #expect(script.pass(to: 1599) == [])
    #expect(script.pass(to: 1600) == ["1600 s: start phone, keepalive"])
  }
}

extension Script {
  mutating func start(_ name: String) {
    register(name) { ($0.speaks, $0.isFreezeExempt) = (false, true) }
  }

  mutating func exited(_ name: String, _ status: ExitStatus) { feed(.exited(id(name), status)) }

  func installed(_ name: String) -> InstalledState? { engine.installed(name)?.state }
}
