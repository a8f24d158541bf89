import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct WakeTests {
  @Test func `data wakes a sleeping program: the thaw goes first`() throws {
    var script = Script()
    script.asleep("phone")
    #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1"])
    #expect(script.state("phone") == .background)
    #expect(try script.leases("phone") == [.wake])
    #expect(try script.view("phone").lastWake?.reason == .data)
    #expect(try script.view("phone").lastWake?.line == LineID(1))
  }

  @Test(arguments: [
    (LineReadiness.data, WakeReason.data, 10.0), (.accept, .accept, 10), (.ping, .data, 10),
    (.closed, .closed, 60),
    (.error, .error, 60),
  ])
  func `each readiness has its reason and its run time`(
    readiness: LineReadiness, reason: WakeReason, seconds: Double
  ) {
    var script = Script()
    script.asleep("phone")
    #expect(script.ready("phone", readiness) == ["thaw phone", "phone: woke, \(reason) on line 1"])
    #expect(script.pass(to: seconds - 0.1) == [])
    #expect(script.pass(to: seconds) == ["\(Moment(seconds).text) s: freeze phone"])
  }

  @Test func `an accessory's data has its own reason`() {
    var script = Script()
    script.launched("heart", .externalAccessory)
    script.hold("heart", .accessory)
    script.sendToBackground("heart")
    script.frozen("heart")
    #expect(script.ready("heart") == ["thaw heart", "heart: woke, accessory on line 1"])
  }

  @Test func `done ends the wake, and the program sleeps`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.done("phone") == ["freeze phone"])
    script.frozen("phone")
    #expect(script.state("phone") == .suspended)
  }

  @Test func `run time that runs out freezes the program and is told in the journal`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    _ = script.takeNotes()
    #expect(script.pass(to: 10) == ["10 s: freeze phone"])
    #expect(script.takeNotes() == [.leaseEnded(.wake, overrun: true)])
  }

  @Test func `an old done does not end a newer wake`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    let old = script.wakeTicket("phone")
    script.command("phone", .wake)
    #expect(script.feed(.done(script.id("phone"), old)) == [])
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `a second wake does not shorten the run time of the first`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone", .closed)
    script.pass(to: 1)
    #expect(script.command("phone", .wake) == ["ok", "phone: woke, operator"])
    #expect(script.pass(to: 59.9) == [])
    #expect(script.pass(to: 60) == ["60 s: freeze phone"])
  }

  @Test func `readiness of a program that is awake is stale`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.ready("phone") == [])
    #expect(script.pass(to: 10) == ["10 s: freeze phone"])
  }

  @Test func `readiness of an unknown line wakes nobody`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.ready("phone", line: 7) == [])
    #expect(script.state("phone") == .suspended)
  }

  @Test func `the operator can wake a sleeping program, and a foreground one is left alone`() {
    var script = Script()
    script.launched("phone")
    #expect(script.command("phone", .wake) == ["ok"])
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(script.command("phone", .wake) == ["ok", "thaw phone", "phone: woke, operator"])
  }

  @Test func `wakes and the time asleep and awake are counted`() throws {
    var script = Script()
    script.asleep("phone")
    script.pass(to: 100)
    script.ready("phone")
    script.pass(to: 103)
    script.done("phone")
    script.frozen("phone")
    script.pass(to: 200)
    let view = try script.view("phone")
    #expect(view.wakes == 1)
    #expect(view.asleep == .seconds(197))
    #expect(view.awake == .seconds(3))
    #expect(view.lastSleep == Moment(103))
  }

  @Test func `a line that was lost or released wakes nobody`() throws {
    var script = Script()
    script.asleep("phone")
    #expect(script.feed(.lineLost(script.id("phone"), LineID(1))) == [])
    #expect(script.ready("phone") == [])
    #expect(try script.view("phone").lines.isEmpty)
  }
}
