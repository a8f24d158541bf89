import LullEngine
import TestSupport
import Testing

/// The acts of others on a program behind the engine's back.
@Suite(.bounded) struct OutsideTests {
  @Test func `a sleeper that somebody else thaws is awake, is told, and sleeps again by the rule`() throws {
    var script = Script()
    script.asleep("phone")
    _ = script.takeNotes()
    #expect(script.unfrozen("phone") == ["thaw phone", "phone: woke, unfrozen"])
    #expect(script.state("phone") == .background)
    #expect(script.takeNotes().contains(.woke(.unfrozen, nil)))
    #expect(try script.leases("phone") == [.wake])
    #expect(script.done("phone") == ["freeze phone"])
    script.frozen("phone")
    #expect(script.state("phone") == .suspended)
  }

  @Test func `a freeze that somebody else undoes is taken back`() {
    var script = Script()
    script.launched("phone")
    script.hold("phone")
    script.sendToBackground("phone")
    #expect(script.unfrozen("phone") == ["thaw phone", "phone: woke, unfrozen"])
    #expect(script.feed(.frozen(script.id("phone"), script.freezeTicket("phone"))).isEmpty)
    #expect(script.state("phone") == .background)
  }

  @Test func `the news of a thaw that comes when the program is awake is stale`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.unfrozen("phone").isEmpty)
  }

  @Test func `a signal wakes for a second, whatever the program says meanwhile`() {
    for event in [Event.signalled, Event.ending] {
      var script = Script()
      script.asleep("phone")
      script.pass(to: 100)
      #expect(script.feed(event(script.id("phone"))) == ["thaw phone", "phone: woke, operator"])
      #expect(script.done("phone").isEmpty)
      #expect(script.pass(to: 101) == ["101 s: freeze phone"])
    }
  }

  @Test func `a signal that still waits puts the sleep of a program on the library off`() {
    var script = Script()
    script.asleep("phone")
    script.pass(to: 100)
    script.feed(.signalled(script.id("phone")))
    script.done("phone")
    script.pass(to: 101)
    var observation = Observation()
    observation.signalled = 7
    #expect(script.observed("phone", observation) == ["thaw phone"])
  }

  @Test func `a signal makes a command's freeze no trial, and is no news for one in the foreground`() {
    var script = Script()
    script.run("server") { $0.launch = .foreground }
    #expect(script.feed(.signalled(script.id("server"))).isEmpty)
    script.run("client")
    script.feed(.signalled(script.id("client")))
    script.pass(to: 1)
    #expect(script.frozen("client") == [])
    #expect(script.state("client") == .suspended)
  }
}
