import LullEngine
import TestSupport
import Testing

/// `backgroundTimeRemaining`, and the time for tasks beside it.
@Suite(.bounded) struct RemainingTests {
  @Test func `after a wake it is the run time, and with a task the time for tasks`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.remaining("phone") == ["ok, 10 s of 600 s"])
    script.pass(to: 4)
    #expect(script.remaining("phone") == ["ok, 6 s of 596 s"])
    script.beginTask("phone")
    #expect(script.remaining("phone") == ["ok, 596 s"])
    script.endTask("phone", 1)
    #expect(script.remaining("phone") == ["ok, 6 s of 596 s"])
  }

  @Test func `of several run times the one that ends last counts`() {
    var script = Script()
    script.launched("phone", [.voip, .remoteNotification])
    script.sendToBackground("phone")
    script.frozen("phone")
    script.command("phone", .wake)
    script.pass(to: 3)
    script.push("phone", "news")
    #expect(script.remaining("phone") == ["ok, 30 s of 597 s"])
    script.fetched("phone", .noData)
    #expect(script.remaining("phone") == ["ok, 7 s of 597 s"])
  }

  @Test func `in a keep-alive handler it is 10 s`() {
    var script = Script()
    script.asleep("phone")
    script.keepAlive("phone", 600)
    script.done("phone")
    script.frozen("phone")
    script.pass(to: 600)
    #expect(script.remaining("phone") == ["ok, 10 s of 600 s"])
  }

  @Test func `it is never more than the time for tasks`() {
    var script = Script()
    script.launched("phone") { $0.profile = .ios7 }
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.pass(to: 177)
    script.command("phone", .wake)
    script.endTask("phone", 1)
    #expect(script.remaining("phone") == ["ok, 3 s"])
  }

  @Test func `beside sound no run time counts`() {
    var script = Script()
    script.playing()
    script.command("player", .wake)
    #expect(script.remaining("player") == ["ok, 600 s"])
  }
}
