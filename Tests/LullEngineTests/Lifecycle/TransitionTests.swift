import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct TransitionTests {
  @Test func `to the background the program hears two messages and is frozen`() {
    var script = Script()
    script.launched("phone")
    #expect(script.command("phone", .background) == ["ok", "phone: willResignActive"])
    #expect(script.state("phone") == .active)
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    #expect(script.state("phone") == .background)
    #expect(script.did("phone") == ["freeze phone"])
    #expect(script.frozen("phone") == [])
    #expect(script.state("phone") == .suspended)
  }

  @Test func `to the foreground it is thawed first and hears two messages`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.command("phone", .foreground) == ["ok", "thaw phone", "phone: willEnterForeground"])
    #expect(script.state("phone") == .background)
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.state("phone") == .active)
    #expect(script.did("phone") == [])
  }

  @Test func `to the background and back it passes inactive`() {
    var script = Script()
    script.launched("phone")
    _ = script.takeNotes()
    script.command("phone", .background)
    for _ in 0..<2 { script.did("phone") }
    #expect(script.takeNotes() == [.state(.inactive), .state(.background)])
    script.frozen("phone")
    script.command("phone", .foreground)
    _ = script.takeNotes()
    script.did("phone")
    #expect(script.takeNotes() == [.state(.inactive), .state(.active)])
  }

  @Test func `the transition lease is held from the request to the return of the last message`() throws {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    #expect(try script.leases("phone") == [.transition])
    script.did("phone")
    #expect(try script.leases("phone") == [.transition])
    script.did("phone")
    #expect(try script.leases("phone") == [])
    #expect(try script.view("phone").isFreezing)
  }

  @Test func `a change of mind lets the transition run to its end and then starts the opposite one`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    #expect(script.command("phone", .foreground) == ["ok"])
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    #expect(script.did("phone") == ["phone: willEnterForeground"])
    #expect(script.command("phone", .background) == ["ok"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.did("phone") == ["phone: willResignActive"])
  }

  @Test func `two changes of mind cancel each other`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    script.command("phone", .foreground)
    script.command("phone", .background)
    script.did("phone")
    #expect(script.did("phone") == ["freeze phone"])
  }

  @Test func `a request for the background during the launch waits for its end`() {
    var script = Script()
    script.register("phone")
    #expect(script.command("phone", .background) == ["ok"])
    #expect(script.did("phone") == ["phone: didFinishLaunching"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.did("phone") == ["phone: willResignActive"])
  }

  @Test func `asking for where it is already changes nothing`() {
    var script = Script()
    script.launched("phone")
    #expect(script.command("phone", .foreground) == ["ok"])
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(script.command("phone", .background) == ["ok"])
    #expect(script.state("phone") == .suspended)
  }

  @Test func `the foreground during a freeze takes the freeze back`() {
    var script = Script()
    script.launched("phone")
    #expect(script.sendToBackground("phone") == ["freeze phone"])
    let stale = script.freezeTicket("phone")
    #expect(script.command("phone", .foreground) == ["ok", "thaw phone", "phone: willEnterForeground"])
    #expect(script.feed(.frozen(script.id("phone"), stale)) == [])
    #expect(script.state("phone") == .background)
  }

  @Test func `suspend sends an active program to the background first`() {
    var script = Script()
    script.launched("phone")
    #expect(script.command("phone", .suspend) == ["ok", "phone: willResignActive"])
  }

  @Test func `suspend drops the run time of a wake`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(try script.leases("phone") == [.wake])
    #expect(script.command("phone", .suspend) == ["ok", "freeze phone"])
  }

  @Test func `suspend is refused during the launch, a transition and a task in the background`() {
    var script = Script()
    script.register("phone")
    script.command("phone", .suspend)
    #expect(script.refusal == .busy(.launching))
    for _ in 0..<3 { script.did("phone") }
    script.command("phone", .background)
    script.command("phone", .suspend)
    #expect(script.refusal == .busy(.transition))
    script.did("phone")
    script.beginTask("phone")
    script.did("phone")
    script.command("phone", .suspend)
    #expect(script.refusal == .busy(.task))
  }
}
