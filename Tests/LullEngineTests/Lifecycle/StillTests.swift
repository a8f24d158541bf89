import LullEngine
import TestSupport
import Testing

/// Run-time limits count time in which the program could run, and no limit is announced and enforced at once.
@Suite(.bounded) struct StillTests {
  /// The machine sleeps up to and with `seconds`.
  private func suspend(_ script: inout Script, to seconds: Double) -> [String] {
    let time = Moment(seconds) - script.now
    script.jump(to: seconds)
    return script.feed(.stoodStill(time)) + script.feed(.tick)
  }

  @Test func `a suspended machine takes nothing from a launch`() {
    var script = Script()
    script.register("phone")
    script.pass(to: 4)
    #expect(suspend(&script, to: 3600) == [])
    #expect(script.pass(to: 3600.9) == [])
    #expect(script.pass(to: 3601) == ["3601 s: kill phone, launch-limit"])
  }

  @Test func `nor from a transition, and nor from a goodbye`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    script.pass(to: 3)
    #expect(suspend(&script, to: 100) == [])
    #expect(script.pass(to: 102) == ["102 s: kill phone, background-limit"])

    var quit = Script()
    quit.launched("phone")
    quit.command("phone", .quit)
    quit.pass(to: 3)
    #expect(suspend(&quit, to: 100) == [])
    #expect(quit.pass(to: 102) == ["102 s: kill phone, quit"])
  }

  @Test func `nor from a wake, a task and a freeze`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.beginTask("phone")
    script.pass(to: 3)
    #expect(suspend(&script, to: 1003) == [])
    #expect(try script.view("phone").leases.map(\.ends) == [Moment(1010), Moment(1600)])
    #expect(script.remaining("phone") == ["ok, 597 s"])
    #expect(script.endTask("phone", 1) == ["ok"])
    #expect(script.done("phone") == ["freeze phone"])
    #expect(suspend(&script, to: 2000) == [])
    #expect(script.pass(to: 2002) == ["2002 s: thaw phone"])
  }

  @Test func `nor from those who are warned of short memory`() {
    var script = Script()
    script.purgeable("mail")
    script.pressure(.warning)
    #expect(suspend(&script, to: 60) == [])
    #expect(script.pressure(.warning, at: 62.9) == [])
    #expect(script.pressure(.warning, at: 63) == ["measure mail"])
  }

  @Test func `a keep-alive and a notification keep their dates`() {
    var script = Script()
    script.asleep("phone")
    script.command("phone", .wake)
    script.keepAlive("phone", 600)
    let id = script.id("phone")
    script.ask(.schedule(id, LocalNotification(body: "tea"), .after(.seconds(300)), repeats: nil))
    script.done("phone")
    script.frozen("phone")
    script.jump(to: 700)
    #expect(
      script.feed(.stoodStill(.seconds(690))) == [
        "thaw phone", "phone: woke, keepalive", "phone: keep-alive", "show phone's 1, tea",
      ])
  }

  @Test func `an expiration is told 5 s before the kill, also when the turn is late`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.jump(to: 900)
    #expect(script.feed(.tick) == ["phone: task 1 expires"])
    #expect(script.remaining("phone") == ["ok, 5 s"])
    #expect(script.pass(to: 904.9) == [])
    #expect(script.pass(to: 905) == ["905 s: kill phone, task-limit"])
  }

  @Test func `willTerminate has 5 s from when it is told`() {
    var script = Script()
    script.register("phone")
    script.pass(to: 4)
    script.command("phone", .quit)
    #expect(script.did("phone") == ["phone: willTerminate"])
    #expect(script.pass(to: 8.9) == [])
    #expect(script.pass(to: 9) == ["9 s: kill phone, quit"])
    var late = Script()
    late.launched("phone")
    late.command("phone", .background)
    late.pass(to: 4)
    late.command("phone", .quit)
    late.pass(to: 8)
    #expect(late.did("phone") == ["phone: willTerminate"])
    #expect(late.pass(to: 12.9) == [])
    #expect(late.pass(to: 13) == ["13 s: kill phone, quit"])
  }

  @Test func `what a late shell hears before the tick is not too late`() {
    var script = Script()
    script.register("phone")
    script.register("other")
    script.jump(to: 20)
    #expect(script.feed(.did(script.id("phone"), script.messageTicket("phone"))).isEmpty == false)
    #expect(script.state("phone") == .inactive)
    #expect(script.feed(.did(script.id("other"), script.messageTicket("other"))).isEmpty == false)
    #expect(script.state("other") == .inactive)
  }

  @Test(arguments: [Int64.min, -1, 0])
  func `no time at all changes nothing`(nanoseconds: Int64) {
    var script = Script()
    script.register("phone")
    script.feed(.stoodStill(Interval(nanoseconds: nanoseconds)))
    #expect(script.pass(to: 5) == ["5 s: kill phone, launch-limit"])
  }
}
