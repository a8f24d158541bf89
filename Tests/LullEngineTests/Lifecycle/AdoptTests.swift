import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct AdoptTests {
  private func adopt(
    _ script: inout Script, _ name: String, _ configure: (inout Registration) -> Void = { _ in }
  ) -> [String] {
    var registration = Registration(name: "whatever it calls itself", modes: .audio)
    configure(&registration)
    let id = script.id(name)
    return script.ask(.adopt(id, registration))
  }

  @Test func `a command that speaks is launched under its own name with the modes of both`() throws {
    var script = Script()
    script.register("baresip") { $0.speaks = false }
    #expect(adopt(&script, "baresip") == ["ok, inactive", "baresip: willFinishLaunching"])
    let view = try script.view("baresip")
    #expect(view.registration.name == "baresip")
    #expect(view.registration.settings.modes == [.voip, .audio])
    for _ in 0..<3 { script.did("baresip") }
    #expect(script.state("baresip") == .active)
  }

  @Test func `a command that sleeps is thawed to be adopted`() {
    var script = Script()
    script.register("baresip") { $0.speaks = false }
    script.command("baresip", .suspend)
    script.frozen("baresip")
    #expect(adopt(&script, "baresip") == ["ok, inactive", "thaw baresip", "baresip: willFinishLaunching"])
  }

  @Test func `a second process of the same program only learns its state`() {
    var script = Script()
    script.launched("phone")
    #expect(adopt(&script, "phone") == ["ok, active"])
  }

  @Test func `a program that leaves is thawed and forgotten`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.feed(.leave(script.id("phone"))) == ["thaw phone", "forget phone"])
    #expect(script.engine.programs.isEmpty)
  }

  @Test func `a program that leaves during its freeze is thawed`() {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    #expect(script.feed(.leave(script.id("phone"))) == ["thaw phone", "forget phone"])
  }

  @Test func `an adopted command that leaves goes on as a command, active and without lines`() throws {
    var script = Script()
    script.register("baresip") { $0.speaks = false }
    _ = adopt(&script, "baresip")
    for _ in 0..<3 { script.did("baresip") }
    script.hold("baresip")
    _ = script.ask(.wakeIn(script.id("baresip"), .seconds(60)))
    script.sendToBackground("baresip")
    script.frozen("baresip")
    #expect(script.engine.alarm == Moment(60))
    #expect(script.feed(.leave(script.id("baresip"))) == ["thaw baresip"])
    #expect(script.engine.alarm == nil)
    #expect(script.state("baresip") == .active)
    #expect(try script.view("baresip").lines.isEmpty)
    #expect(script.command("baresip", .suspend) == ["ok", "freeze baresip"])
  }

  @Test func `an answer that a command cannot hear is told to the next library in it`() {
    var script = Script()
    script.register("baresip") { $0.speaks = false }
    _ = adopt(&script, "baresip")
    for _ in 0..<3 { script.did("baresip") }
    script.sendToBackground("baresip")
    _ = script.ask(.present(script.id("baresip"), LocalNotification(body: "Missed call")))
    script.feed(.leave(script.id("baresip")))
    #expect(script.ask(.answer(NotificationID(1), action: "default")) == ["ok", "withdraw 1"])
    _ = adopt(&script, "baresip")
    _ = script.did("baresip")
    #expect(script.did("baresip").contains("baresip: 1 answered, default"))
  }

  @Test func `a command that never spoke does not leave`() {
    var script = Script()
    script.register("nc") { $0.speaks = false }
    #expect(script.feed(.leave(script.id("nc"))) == [])
    #expect(script.state("nc") == .active)
  }

  @Test func `a program that resumes in the background is awake for 10 s, without launch messages`() {
    var script = Script()
    #expect(
      script.register("phone") { $0.resumes = .background } == ["ok, background", "phone: woke, unfrozen"])
    #expect(script.pass(to: 10) == ["10 s: freeze phone"])
  }

  @Test(arguments: [ApplicationState.active, .inactive])
  func `a program that resumes in the foreground stays there, wherever it was launched`(
    state: ApplicationState
  ) {
    var script = Script()
    let effects = script.register("phone") {
      $0.resumes = state
      $0.launch = .background
    }
    #expect(effects == ["ok, active"])
    #expect(script.pass(to: 1000) == [])
    #expect(script.state("phone") == .active)
  }

  @Test func `a program that resumes asleep stays in the background`() {
    var script = Script()
    #expect(
      script.register("phone") { $0.resumes = .suspended } == ["ok, background", "phone: woke, unfrozen"])
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `the slot of a program that ended is used again, and late events for the old one find nothing`()
  {
    var script = Script()
    script.asleep("old")
    let old = script.id("old")
    script.feed(.exited(old, .exited(0)))
    script.asleep("new")
    #expect(script.id("new").slot == old.slot)
    #expect(script.id("new") != old)
    #expect(script.feed(.ready(old, LineID(1), .data)) == [])
    #expect(script.feed(.leave(old)) == [])
    #expect(script.feed(.exited(old, .exited(1))) == [])
    #expect(script.ask(.release(old, LineID(1))) == ["refused"])
    #expect(script.refusal == .gone)
    #expect(script.state("new") == .suspended)
  }

  /// An unmanaged client from before its registration.
  private func unmanagedClient(_ name: String, _ script: inout Script) {
    script.register(name, []) { ($0.speaks, $0.isUnmanaged) = (false, true) }
    let id = script.id(name)
    script.ask(.openSession(id, SessionTraits(category: .playback)))
    script.feed(.sound(id, SessionID(1), .began))
    script.feed(.audibility(id, .all, .sounding))
  }

  @Test func `an unmanaged client that registers is launched under its new name, and its sound goes on`()
    throws
  {
    var script = Script()
    unmanagedClient("python3", &script)
    let id = script.id("python3")
    let effects = script.ask(.adopt(id, Registration(name: "player", modes: [.voip, .audio])))
    #expect(effects == ["ok, inactive", "player: willFinishLaunching"])
    for _ in 0..<3 { script.did("player") }
    #expect(script.keepAlive("player", 600) == ["ok"])
    script.sendToBackground("player")
    #expect(try script.leases("player") == [.audible])
    let view = try script.view("player")
    #expect(view.sessions.map(\.isRunning) == [true])
    #expect(view.registration.isUnmanaged == false)
    #expect(script.feed(.leave(id)) == ["forget player"])
  }

  @Test func `an unmanaged client takes no name that is in use, but may take its own`() {
    var script = Script()
    script.launched("player")
    unmanagedClient("python3", &script)
    let id = script.id("python3")
    script.ask(.adopt(id, Registration(name: "player", modes: .voip)))
    #expect(script.refusal == .nameInUse("player"))
    script.ask(.adopt(id, Registration(name: "python3", modes: .voip)))
    #expect(script.refusal == nil)
  }
}
