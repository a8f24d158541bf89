import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct KeepAliveInstallTests {
  @Test func `a handler that is installed again keeps its first due time`() throws {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    script.pass(to: 500)
    script.keepAlive("phone", 600)
    #expect(try script.view("phone").keepAlive?.due == Moment(600))
    #expect(script.pass(to: 600) == ["600 s: phone: keep-alive"])
  }

  @Test func `clearing stops the runs`() throws {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    script.pass(to: 100)
    #expect(script.keepAlive("phone", nil) == ["ok"])
    #expect(try script.view("phone").keepAlive == nil)
    #expect(script.pass(to: 5000) == [])
  }

  @Test func `clearing and installing anew does not allow a run within 600 s of the last one`() throws {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    #expect(script.pass(to: 600).count == 1)
    script.pass(to: 700)
    script.keepAlive("phone", nil)
    script.keepAlive("phone", 600)
    #expect(script.pass(to: 1199) == [])
    #expect(script.pass(to: 1200) == ["1200 s: phone: keep-alive"])
  }

  @Test func `clearing and installing anew before any run counts from the new installation`() throws {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    script.pass(to: 300)
    script.keepAlive("phone", nil)
    script.keepAlive("phone", 600)
    #expect(try script.view("phone").keepAlive?.due == Moment(900))
  }

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

  @Test func `an overdue run comes at once`() {
    var script = Script()
    script.pass(to: 5000)
    script.launchedBehind("phone")
    #expect(script.keepAlive("phone", 600, lastRun: 100) == ["ok", "phone: keep-alive"])
    #expect(script.pass(to: 5600) == ["5600 s: phone: keep-alive"])
  }

  @Test func `the keep-alive ends with the program`() {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    script.feed(.exited(script.id("phone"), .exited(0)))
    #expect(script.engine.deadline == nil)
  }
}
