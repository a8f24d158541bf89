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
