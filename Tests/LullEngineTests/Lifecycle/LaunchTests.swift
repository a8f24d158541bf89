import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct LaunchTests {
  @Test func `a launch into the foreground sends three messages, one at a time`() {
    var script = Script()
    #expect(script.register("phone") == ["ok, inactive", "phone: willFinishLaunching"])
    #expect(script.state("phone") == .inactive)
    #expect(script.did("phone") == ["phone: didFinishLaunching"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.state("phone") == .active)
    #expect(script.did("phone") == [])
    #expect(script.pass(to: 10_000) == [])
    #expect(script.state("phone") == .active)
  }

  @Test func `a command is active at once and never hears a message`() throws {
    var script = Script()
    #expect(script.register("nc", []) { $0.speaks = false } == ["ok, active"])
    #expect(script.state("nc") == .active)
    #expect(try script.leases("nc") == [])
    #expect(script.command("nc", .background) == ["ok", "freeze nc"])
    #expect(script.frozen("nc") == [])
    #expect(script.command("nc", .foreground) == ["ok", "thaw nc"])
    #expect(script.state("nc") == .active)
  }

  @Test func `a message that was not sent cannot return`() {
    var script = Script()
    script.register("phone")
    let first = script.messageTicket("phone")
    script.did("phone")
    #expect(script.feed(.did(script.id("phone"), first)) == [])
    #expect(script.feed(.did(script.id("phone"), Ticket(999))) == [])
    #expect(script.state("phone") == .inactive)
  }

  @Test func `the journal tells the states of a launch in order`() {
    var script = Script()
    script.launched("phone")
    #expect(script.takeNotes() == [.registered(name: "phone"), .state(.inactive), .state(.active)])
  }
}

@Suite(.bounded) struct OpenedLinkTests {
  private func open(_ script: inout Script, _ url: String) -> [String] {
    script.ask(.open(script.id("phone"), url))
  }

  @Test func `a link wakes a sleeper with the reason url, and gives it run time`() throws {
    var script = Script()
    script.asleep("phone")
    #expect(
      open(&script, "sip:a") == ["ok", "thaw phone", "phone: woke, url", "phone: open sip:a"])
    #expect(try script.leases("phone") == [.wake])
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `an active program gets a link and no lease`() throws {
    var script = Script()
    script.launched("phone")
    #expect(open(&script, "sip:a") == ["ok", "phone: open sip:a"])
    #expect(try script.leases("phone") == [])
  }

  @Test func `a program that does not come up keeps only so many of them`() {
    var script = Script()
    script.register("phone")
    for _ in 0..<16 { _ = open(&script, "sip:a") }
    _ = open(&script, "sip:a")
    #expect(script.answer == .refused(.busy(.launching)))
  }
}
