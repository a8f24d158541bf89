import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct KeepAliveTests {
  @Test func `less than 600 s is refused, and so is a program that is no VoIP program`() {
    var script = Script()
    script.launched("phone")
    script.keepAlive("phone", 599)
    #expect(script.refusal == .keepAliveTooShort(.seconds(599), minimum: .seconds(600)))
    #expect(script.keepAlive("phone", 600) == ["ok"])
    script.launched("player", .audio)
    script.keepAlive("player", 600)
    #expect(script.refusal == .wrongMode(.voip))
    #expect(script.keepAlive("player", nil) == ["ok"])
  }

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

  @Test func `in the foreground it does not run, and what is overdue runs on the way to the background`() {
    var script = Script()
    script.launched("phone")
    script.keepAlive("phone", 600)
    #expect(runs(script.pass(to: 1300)) == [])
    script.command("phone", .background)
    let entry = script.did("phone")
    #expect(runs(entry + script.pass(to: 1300)).count == 1)
  }

  @Test func `the handler has 10 s; a program that overruns them is frozen`() throws {
    var script = Script()
    script.asleep("phone")
    script.keepAlive("phone", 600)
    script.frozen("phone")
    script.pass(to: 600)
    #expect(try script.leases("phone") == [.keepalive])
    #expect(script.pass(to: 610) == ["610 s: freeze phone"])
    #expect(script.takeNotes().last == .leaseEnded(.keepalive, overrun: true))
  }

  @Test func `the first run joins a run that is due, and from then on both keep step`() {
    var script = Script()
    script.asleep("one")
    script.keepAlive("one", 600)
    script.frozen("one")
    script.pass(to: 400)
    script.asleep("two")
    script.keepAlive("two", 600)
    script.frozen("two")
    #expect(runs(script.pass(to: 600)) == ["600 s: one: keep-alive", "600 s: two: keep-alive"])
    for name in ["one", "two"] {
      script.done(name)
      script.frozen(name)
    }
    #expect(runs(script.pass(to: 1200)).sorted() == ["1200 s: one: keep-alive", "1200 s: two: keep-alive"])
  }

  @Test func `at 900 s the window opens at 675 s, and another program's run is joined inside it`() throws {
    var script = Script()
    script.asleep("slow")
    script.keepAlive("slow", 900, lastRun: 0)
    script.frozen("slow")
    let window = try #require(try script.view("slow").keepAlive)
    #expect(window.opens == Moment(675))
    #expect(window.due == Moment(900))
    script.pass(to: 100)
    script.asleep("fast")
    script.keepAlive("fast", 600)
    script.frozen("fast")
    #expect(
      runs(script.pass(to: 700)) == ["700 s: fast: keep-alive", "700 s: slow: keep-alive"])
  }

  @Test func `a window that is still shut is not joined`() {
    var script = Script()
    script.asleep("slow")
    script.keepAlive("slow", 900, lastRun: 0)
    script.frozen("slow")
    script.asleep("fast")
    script.keepAlive("fast", 600)
    script.frozen("fast")
    #expect(runs(script.pass(to: 600)) == ["600 s: fast: keep-alive"])
  }

  @Test func `with nobody to join, a run comes at its time-out`() {
    var script = Script()
    script.asleep("slow")
    script.keepAlive("slow", 900)
    script.frozen("slow")
    #expect(runs(script.pass(to: 900)) == ["900 s: slow: keep-alive"])
    script.done("slow")
    script.frozen("slow")
    #expect(runs(script.pass(to: 1800)) == ["1800 s: slow: keep-alive"])
  }

  @Test func `a program that is awake runs as soon as its window opens, at no wake`() throws {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 900, lastRun: 0)
    #expect(script.pass(to: 700) == ["675 s: phone: keep-alive"])
    #expect(try script.view("phone").wakes == 0)
  }

  @Test func `a program woken inside its window runs then`() {
    var script = Script()
    script.asleep("phone")
    script.keepAlive("phone", 900, lastRun: 0)
    script.frozen("phone")
    script.pass(to: 700)
    #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1", "phone: keep-alive"])
  }

  @Test func `the first run of a program that is awake waits for its due time`() {
    var script = Script()
    script.launchedBehind("phone")
    script.keepAlive("phone", 900)
    #expect(script.pass(to: 899) == [])
    #expect(script.pass(to: 900) == ["900 s: phone: keep-alive"])
  }

  @Test func `a run ahead of its time in an awake program draws nobody along`() {
    var script = Script()
    script.asleep("sleeper")
    script.keepAlive("sleeper", 900)
    script.frozen("sleeper")
    script.launchedBehind("awake")
    script.keepAlive("awake", 800, lastRun: 0)
    #expect(script.pass(to: 600) == ["600 s: awake: keep-alive"])
  }

  @Test func `another program's death does not touch a keep-alive`() {
    var script = Script()
    script.asleep("one")
    script.keepAlive("one", 600)
    script.frozen("one")
    script.asleep("two")
    script.keepAlive("two", 700)
    script.frozen("two")
    script.feed(.exited(script.id("one"), .signaled(11)))
    #expect(runs(script.pass(to: 700)) == ["700 s: two: keep-alive"])
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

  @Test func `who has handled the wake has not run the keep-alive yet`() throws {
    var script = Script()
    script.asleep("phone")
    script.command("phone", .wake)
    script.keepAlive("phone", 600)
    script.done("phone")
    script.frozen("phone")
    script.jump(to: 600)
    var (engine, effects) = (script.engine, [Effect]())
    engine.handle(.tick, at: script.now, effects: &effects)
    let tickets = effects.compactMap { effect -> Ticket? in
      switch effect {
      case .woke(_, _, let ticket), .runKeepAlive(_, let ticket): ticket
      default: nil
      }
    }
    try #require(tickets.count == 2)
    let id = script.id("phone")
    engine.handle(.done(id, tickets[0]), at: script.now, effects: &effects)
    #expect(engine.program(id, at: script.now)?.leases.map(\.kind) == [.keepalive])
    engine.handle(.done(id, tickets[1]), at: script.now, effects: &effects)
    #expect(engine.program(id, at: script.now)?.leases.isEmpty == true)
  }
}

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
