import LullEngine
import TestSupport
import Testing

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

  @Test func `a link for which a program is launched is told when its launch is over`() throws {
    var script = Script()
    script.register("phone") { $0.launch = .background }
    #expect(open(&script, "sip:a") == ["ok"])
    #expect(script.did("phone") == ["phone: didFinishLaunching"])
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    #expect(script.did("phone") == ["phone: woke, url", "phone: open sip:a"])
    #expect(try script.leases("phone") == [.wake])
  }

  @Test func `a program that does not come up keeps only so many of them`() {
    var script = Script()
    script.register("phone")
    for _ in 0..<16 { _ = open(&script, "sip:a") }
    _ = open(&script, "sip:a")
    #expect(script.answer == .refused(.busy(.launching)))
  }

  @Test func `a command hears nothing: it is refused`() {
    var script = Script()
    script.register("phone") { $0.speaks = false }
    _ = open(&script, "sip:a")
    #expect(script.answer == .refused(.gone))
  }
}
