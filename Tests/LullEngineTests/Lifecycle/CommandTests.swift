import LullEngine
import TestSupport
import Testing

/// Commands that sleep by themselves: programs that know nothing of Lull, run with a mode that lets them
/// sleep.
@Suite(.bounded) struct CommandTests {
  @Test func `the first freeze is a trial`() {
    var script = Script()
    script.run("baresip")
    script.pass(to: 1)
    _ = script.takeNotes()
    #expect(script.frozen("baresip") == ["thaw baresip"])
    #expect(script.takeNotes() == [.trialFrozen])
    #expect(script.state("baresip") == .background)
    #expect(script.pass(to: 2) == ["2 s: freeze baresip"])
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
  }

  @Test func `one that a signal has stopped is looked at later, without a note, and has its trial still`() {
    var script = Script()
    script.run("vi")
    script.pass(to: 1)
    _ = script.takeNotes()
    script.feed(.freezeRefused(script.id("vi"), script.freezeTicket("vi"), .stopped))
    #expect(script.takeNotes() == [])
    #expect(script.state("vi") == .background)
    script.pass(to: 1.1)
    script.frozen("vi")
    #expect(script.takeNotes() == [.trialFrozen])
  }

  @Test func `one that was stopped is not shown as such once it was sent a signal`() throws {
    var script = Script()
    script.run("aplay") { $0.settings.modes = .audio }
    script.pass(to: 1)
    script.refuse("aplay", .stopped)
    #expect(try script.view("aplay").lastRefusal == .stopped)
    script.feed(.signalled(script.id("aplay")))
    #expect(try script.view("aplay").lastRefusal == nil)
  }

  @Test func `a byte wakes it for at most 10 s, and it is looked at soon and then ever later`() throws {
    var script = Script()
    script.commandAsleep("baresip")
    #expect(script.ready("baresip") == ["thaw baresip", "baresip: woke, data on line 1"])
    #expect(try script.leases("baresip") == [.wake])
    var at = 100.0
    for wait in [0.025, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10] {
      at += wait
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze baresip"])
      #expect(script.refuse("baresip") == ["thaw baresip"])
    }
    #expect(try script.leases("baresip") == [])
    script.pass(to: at + 10)
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
    #expect(try script.leases("baresip") == [])
  }

  @Test func `however short its sleep was, it is looked at soon after a byte`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    var at = 100.0
    for _ in 1...20 {
      at += 0.025
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze baresip"])
      script.frozen("baresip")
      at += 0.02
      script.pass(to: at)
      script.ready("baresip")
    }
  }

  @Test func `the next look waits 200 times as long as the last one took`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    let dear = Observation.idle.with { $0.cost = .milliseconds(5) }
    script.observed("baresip", dear)
    script.feed(.frozen(script.id("baresip"), script.freezeTicket("baresip")))
    script.ready("baresip")
    #expect(script.pass(to: 101.024) == [])
    #expect(script.pass(to: 101.025) == ["101.025 s: freeze baresip"])
    script.observed("baresip", dear.with { $0.threads = [.waiting(.works)] })
    #expect(script.pass(to: 102.024) == [])
    #expect(script.pass(to: 102.025) == ["102.025 s: freeze baresip"])
  }

  @Test func `a connection of its own that came and went while it was awake gives no grace`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip", .data)
    script.pass(to: 100.025)
    script.find("baresip", .opened)
    script.refuse("baresip", .unread)
    script.pass(to: 100.05)
    #expect(script.feed(.lineLost(script.id("baresip"), LineID(2))) == [])
  }

  @Test func `what was refused to it while it spoke does not count once it is a command again`() {
    var script = Script()
    script.run("phone")
    let id = script.id("phone")
    script.ask(.adopt(id, Registration(name: "phone", modes: .voip)))
    for _ in 0..<3 { script.did("phone") }
    script.sendToBackground("phone")
    for _ in 0..<16 {
      script.refuse("phone")
      script.pass(to: script.now.seconds + 60)
    }
    script.refuse("phone")
    let left = script.now.seconds
    script.feed(.leave(id))
    #expect(script.pass(to: left + 1).count == 1)
    script.refuse("phone")
    #expect(script.pass(to: left + 1.025).count == 1)
  }

  @Test func `a command is killed at once where that is asked, also on its way out`() {
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
}

extension Moment {
  fileprivate var seconds: Double { (self - Moment(nanoseconds: 0)).seconds }
}

extension Script {
  @discardableResult
  mutating func run(_ name: String, _ configure: (inout Registration) -> Void = { _ in }) -> [String] {
    register(name) {
      $0.speaks = false
      $0.launch = .background
      configure(&$0)
    }
  }

  @discardableResult
  mutating func find(_ name: String, _ origin: LineOrigin = .other) -> [String] {
    let id = id(name)
    return ask(.lineFound(id, .voip, origin, "tcp"))
  }

  /// Runs a command with one line, asleep since its second second; the story goes on at 100 s.
  mutating func commandAsleep(
    _ name: String, origin: LineOrigin = .other, _ configure: (inout Registration) -> Void = { _ in }
  ) {
    run(name, configure)
    pass(to: 1)
    frozen(name)
    pass(to: 2)
    find(name, origin)
    frozen(name)
    jump(to: 100)
  }

  @discardableResult
  mutating func ready(_ name: String, _ readiness: LineReadiness) -> [String] {
    feed(.ready(id(name), LineID(1), readiness))
  }
}
