import LullEngine
import TestSupport
import Testing

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
