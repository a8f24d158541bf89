import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct KeepAliveTests {
  @Test func `a sleeping program is woken every 600 s`() throws {
    var script = Script()
    script.asleep("phone")
    script.keepAlive("phone", 600)
    script.frozen("phone")
    for run in 1...5 {
      let at = Double(600 * run)
      #expect(
        script.pass(to: at)
          == ["thaw phone", "phone: woke, keepalive", "phone: keep-alive"].map { "\(600 * run) s: \($0)" })
      #expect(try script.view("phone").keepAlive?.runs == run)
      #expect(script.done("phone") == ["freeze phone"])
      script.frozen("phone")
    }
    #expect(try script.view("phone").wakes == 6)
  }

  @Test func `twenty programs installed at different times wake the machine once per 600 s`() {
    var script = Script()
    for number in 0..<20 {
      script.pass(to: Double(number) * 29)
      let name = "phone\(number)"
      script.asleep(name)
      script.keepAlive(name, 600)
      script.frozen(name)
    }
    for period in 1...10 {
      let times = runs(script.pass(to: Double(600 * period + 59))).map { $0.prefix { $0 != ":" } }
      #expect(times == Array(repeating: "\(600 * period) s", count: 20))
      for number in 0..<20 {
        script.done("phone\(number)")
        script.frozen("phone\(number)")
      }
    }
  }

  private func runs(_ lines: [String]) -> [String] { lines.filter { $0.hasSuffix(": keep-alive") } }
}

@Suite(.bounded) struct KeepAliveInstallTests {
  @Test func `a program that resumes tells its last run, and the gap holds across the restart`() throws {
    var script = Script()
    script.pass(to: 1000)
    script.register("phone") { $0.resumes = .background }
    script.keepAlive("phone", 600, lastRun: 700)
    let keepAlive = try #require(try script.view("phone").keepAlive)
    #expect(keepAlive.opens == Moment(1300))
    #expect(keepAlive.due == Moment(1300))
    #expect(keepAlive.lastRun == Moment(700))
  }

  @Test func `a last run in the future counts as now`() throws {
    var script = Script()
    script.pass(to: 100)
    script.launchedBehind("phone")
    script.keepAlive("phone", 600, lastRun: 1e9)
    #expect(try script.view("phone").keepAlive?.due == Moment(700))
  }
}
