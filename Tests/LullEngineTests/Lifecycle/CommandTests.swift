import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Commands that sleep by themselves: programs that know nothing of Lull, run with a mode that lets them
/// sleep.
@Suite(.bounded) struct CommandTests {
  @Test func `it is in the background at once and looked at after a second`() {
    var script = Script()
    #expect(script.run("baresip") == ["ok, background"])
    #expect(script.pass(to: 0.99) == [])
    #expect(script.pass(to: 1) == ["1 s: freeze baresip"])
  }

  @Test func `without a mode that lets it sleep it is active`() {
    var script = Script()
    #expect(script.register("make", []) { $0.speaks = false } == ["ok, active"])
    #expect(script.pass(to: 100) == [])
  }

  @Test func `the first freeze is a trial`() {
    var script = Script()
    script.run("baresip")
    script.pass(to: 1)
    _ = script.takeNotes()
    #expect(script.frozen("baresip") == ["thaw baresip"])
    #expect(script.takeNotes() == [.trialFrozen])
    #expect(script.state("baresip") == .background)
    #expect(script.pass(to: 2) == ["2 s: freeze baresip"])
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
  }

  @Test(arguments: [ExitStatus.signaled(11), .exited(1)])
  func `one that ends right after its trial is to be freeze-exempt`(status: ExitStatus) {
    var script = Script()
    script.run("baresip")
    script.pass(to: 1)
    script.frozen("baresip")
    script.jump(to: 1.2)
    let effects = script.feed(.exited(script.id("baresip"), status))
    #expect(effects == ["exempt what is like baresip", "forget baresip"])
  }

  @Test func `one that ends well, or later, or was looked after is not to be freeze-exempt`() {
    var script = Script()
    for name in ["one", "two", "three"] { script.run(name) }
    script.pass(to: 1)
    for name in ["one", "two", "three"] { script.frozen(name) }
    script.command("three", .wake)
    #expect(script.feed(.exited(script.id("one"), .exited(0))) == ["forget one"])
    #expect(script.feed(.exited(script.id("three"), .signaled(2))) == ["forget three"])
    script.pass(to: 1.3)
    #expect(script.feed(.exited(script.id("two"), .exited(1))) == ["forget two"])
  }

  @Test func `one that a signal has stopped is looked at later, without a note, and has its trial still`() {
    var script = Script()
    script.run("vi")
    script.pass(to: 1)
    _ = script.takeNotes()
    script.feed(.freezeRefused(script.id("vi"), script.freezeTicket("vi"), .stopped))
    #expect(script.takeNotes() == [])
    #expect(script.state("vi") == .background)
    script.pass(to: 1.1)
    script.frozen("vi")
    #expect(script.takeNotes() == [.trialFrozen])
  }

  @Test func `one that was stopped is not shown as such once it was sent a signal`() throws {
    var script = Script()
    script.run("aplay") { $0.settings.modes = .audio }
    script.pass(to: 1)
    script.refuse("aplay", .stopped)
    #expect(try script.view("aplay").lastRefusal == .stopped)
    script.feed(.signalled(script.id("aplay")))
    #expect(try script.view("aplay").lastRefusal == nil)
  }

  @Test func `a freeze-exempt one is never frozen`() {
    var script = Script()
    script.run("baresip") { $0.isFreezeExempt = true }
    #expect(script.pass(to: 5000) == [])
    #expect(script.command("baresip", .suspend) == ["ok"])
    #expect(script.state("baresip") == .background)
  }

  @Test func `a byte wakes it for at most 10 s, and it is looked at soon and then ever later`() throws {
    var script = Script()
    script.commandAsleep("baresip")
    #expect(script.ready("baresip") == ["thaw baresip", "baresip: woke, data on line 1"])
    #expect(try script.leases("baresip") == [.wake])
    var at = 100.0
    for wait in [0.025, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10] {
      at += wait
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze baresip"])
      #expect(script.refuse("baresip") == ["thaw baresip"])
    }
    #expect(try script.leases("baresip") == [])
    script.pass(to: at + 10)
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
    #expect(try script.leases("baresip") == [])
  }

  @Test func `proof of idleness ends its run time`() throws {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
    #expect(try script.leases("baresip") == [])
  }

  @Test func `no look comes before the moment that the shell names`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    script.refuse("baresip", .unanswered, retryAfter: 0.7)
    #expect(script.pass(to: 100.72) == [])
    #expect(script.pass(to: 100.725) == ["100.725 s: freeze baresip"])
  }

  @Test func `nor does somebody's wake, a keep-alive or a lost connection bring one before it`() throws {
    var script = Script()
    script.commandAsleep("baresip", origin: .opened) { $0.settings.keepAlive = .seconds(600) }
    script.pass(to: 599)
    script.ready("baresip")
    script.pass(to: 599.025)
    script.refuse("baresip", .unanswered, retryAfter: 100)
    script.command("baresip", .wake)
    #expect(script.pass(to: 602) == ["600 s: baresip: keep-alive"])
    script.feed(.lineLost(script.id("baresip"), LineID(1)))
    #expect(script.pass(to: 699) == [])
    #expect(script.pass(to: 699.025) == ["699.025 s: freeze baresip"])
  }

  @Test func `but the operator's suspend does`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    script.refuse("baresip", .unanswered, retryAfter: 100)
    #expect(script.command("baresip", .suspend) == ["ok", "freeze baresip"])
  }

  @Test func `however short its sleep was, it is looked at soon after a byte`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    var at = 100.0
    for _ in 1...20 {
      at += 0.025
      #expect(script.pass(to: at) == ["\(Moment(at).text) s: freeze baresip"])
      script.frozen("baresip")
      at += 0.02
      script.pass(to: at)
      script.ready("baresip")
    }
  }

  @Test func `the next look waits 200 times as long as the last one took`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    let dear = Observation.idle.with { $0.cost = .milliseconds(5) }
    script.observed("baresip", dear)
    script.feed(.frozen(script.id("baresip"), script.freezeTicket("baresip")))
    script.ready("baresip")
    #expect(script.pass(to: 101.024) == [])
    #expect(script.pass(to: 101.025) == ["101.025 s: freeze baresip"])
    script.observed("baresip", dear.with { $0.threads = [.waiting(.works)] })
    #expect(script.pass(to: 102.024) == [])
    #expect(script.pass(to: 102.025) == ["102.025 s: freeze baresip"])
  }

  @Test func `and longer still among many programs`() {
    var script = Script()
    for number in 1...39 { script.launched("program \(number)") }
    script.commandAsleep("baresip")
    script.ready("baresip")
    script.pass(to: 100.025)
    script.observed("baresip", .idle.with { ($0.cost, $0.threads) = (.milliseconds(1), [.waiting(.works)]) })
    #expect(script.pass(to: 100.824) == [])
    #expect(script.pass(to: 100.825) == ["100.825 s: freeze baresip"])
  }

  @Test(arguments: [LineReadiness.closed, .error])
  func `the loss of a connection that it opened keeps it awake for 60 s`(loss: LineReadiness) throws {
    var script = Script()
    script.commandAsleep("baresip", origin: .opened)
    script.ready("baresip", loss)
    #expect(script.pass(to: 159.99) == [])
    #expect(try script.leases("baresip") == [.wake])
    #expect(script.pass(to: 160) == ["160 s: freeze baresip"])
    #expect(script.feed(.lineLost(script.id("baresip"), LineID(1))) == [])
  }

  @Test func `the end of a connection that it accepted does not`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip", .closed)
    #expect(script.pass(to: 100.025) == ["100.025 s: freeze baresip"])
  }

  @Test func `a connection of its own that ended while it was awake gives the grace too`() throws {
    var script = Script()
    script.commandAsleep("baresip", origin: .opened)
    script.ready("baresip")
    script.pass(to: 100.025)
    let lost = script.feed(.lineLost(script.id("baresip"), LineID(1)))
    #expect(lost == ["thaw baresip", "baresip: woke, closed on line 1"])
    #expect(script.pass(to: 160) == [])
    #expect(script.pass(to: 160.025).count == 1)
  }

  @Test func `one that came and went while it was awake does not`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.ready("baresip", .data)
    script.pass(to: 100.025)
    script.find("baresip", .opened)
    script.refuse("baresip", .unread)
    script.pass(to: 100.05)
    #expect(script.feed(.lineLost(script.id("baresip"), LineID(2))) == [])
  }

  @Test func `the keep-alive wakes it for a second`() throws {
    var script = Script()
    script.commandAsleep("baresip") { $0.settings.keepAlive = .seconds(600) }
    #expect(
      script.pass(to: 600) == [
        "600 s: thaw baresip", "600 s: baresip: woke, keepalive", "600 s: baresip: keep-alive",
      ])
    #expect(try script.leases("baresip") == [.keepalive])
    #expect(script.pass(to: 601) == ["601 s: freeze baresip"])
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
  }

  @Test func `its linger is what it asked for`() {
    var script = Script()
    script.run("baresip") { $0.settings.linger = .seconds(4) }
    #expect(script.pass(to: 3.9) == [])
    #expect(script.pass(to: 4).count == 1)
  }

  @Test func `a suspend looks at it at once, without a trial`() {
    var script = Script()
    script.run("baresip")
    #expect(script.command("baresip", .suspend) == ["ok", "freeze baresip"])
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
  }

  @Test func `in the foreground it is left alone`() {
    var script = Script()
    script.commandAsleep("baresip")
    script.command("baresip", .foreground)
    #expect(script.state("baresip") == .active)
    #expect(script.pass(to: 1000) == [])
    #expect(script.command("baresip", .background) == ["ok", "freeze baresip"])
  }

  @Test func `asked to end it stays awake for 60 s`() throws {
    var script = Script()
    script.commandAsleep("baresip")
    #expect(script.feed(.ending(script.id("baresip"))) == ["thaw baresip", "baresip: woke, operator"])
    #expect(script.pass(to: 159.9) == [])
    #expect(script.pass(to: 160) == ["160 s: freeze baresip"])
  }

  @Test func `the end of a process wakes it`() {
    var script = Script()
    script.commandAsleep("baresip")
    let woken = script.feed(.childEnded(script.id("baresip")))
    #expect(woken == ["thaw baresip", "baresip: woke, child"])
    #expect(script.feed(.childEnded(script.id("baresip"))) == [])
  }

  @Test func `its paths are kept open while it sleeps, without a wake`() {
    var script = Script()
    script.run("baresip") { $0.settings.udpKeepAlive = .seconds(25) }
    script.pass(to: 1)
    script.frozen("baresip")
    script.pass(to: 2)
    script.find("baresip")
    script.frozen("baresip")
    #expect(script.pass(to: 60) == ["27 s", "52 s"].map { "\($0): keep baresip's paths open" })
    script.ready("baresip", .data)
    // An awake command keeps its paths open itself; what came due meanwhile is sent when it sleeps again.
    script.refuse("baresip", .unread, retryAfter: 20)
    #expect(script.pass(to: 60.025).count == 1)
    script.refuse("baresip", .unread, retryAfter: 20)
    #expect(script.pass(to: 80.025).count == 1)
    #expect(script.frozen("baresip") == ["keep baresip's paths open"])
    #expect(script.pass(to: 110) == ["105.025 s: keep baresip's paths open"])
  }

  @Test func `more lines than the quota are refused`() {
    var policy = Policy()
    policy.maximumLines = 2
    var script = Script(policy: policy)
    script.run("baresip")
    for _ in 1...2 { script.find("baresip") }
    script.find("baresip")
    #expect(script.refusal == .tooManyLines(2))
  }

  @Test func `what was refused to it while it spoke does not count once it is a command again`() {
    var script = Script()
    script.run("phone")
    let id = script.id("phone")
    script.ask(.adopt(id, Registration(name: "phone", modes: .voip)))
    for _ in 0..<3 { script.did("phone") }
    script.sendToBackground("phone")
    for _ in 0..<16 {
      script.refuse("phone")
      script.pass(to: script.now.seconds + 60)
    }
    script.refuse("phone")
    let left = script.now.seconds
    script.feed(.leave(id))
    #expect(script.pass(to: left + 1).count == 1)
    script.refuse("phone")
    #expect(script.pass(to: left + 1.025).count == 1)
  }

  @Test func `one that spoke through the library sleeps by itself again when it leaves`() {
    var script = Script()
    script.run("phone") { $0.settings.keepAlive = .seconds(600) }
    let id = script.id("phone")
    script.ask(.adopt(id, Registration(name: "phone", modes: .voip)))
    for _ in 0..<3 { script.did("phone") }
    script.feed(.leave(id))
    #expect(script.state("phone") == .background)
    #expect(script.pass(to: 1) == ["1 s: freeze phone"])
    script.frozen("phone")
    script.pass(to: 2)
    script.frozen("phone")
    #expect(script.pass(to: 600).contains("600 s: phone: keep-alive"))
  }
}

extension Moment {
  fileprivate var seconds: Double { (self - Moment(nanoseconds: 0)).seconds }
}

extension Script {
  @discardableResult
  mutating func run(_ name: String, _ configure: (inout Registration) -> Void = { _ in }) -> [String] {
    register(name) {
      $0.speaks = false
      $0.launch = .background
      configure(&$0)
    }
  }

  @discardableResult
  mutating func find(_ name: String, _ origin: LineOrigin = .other) -> [String] {
    let id = id(name)
    return ask(.lineFound(id, .voip, origin, "tcp"))
  }

  /// Runs a command with one line, asleep since its second second; the story goes on at 100 s.
  mutating func commandAsleep(
    _ name: String, origin: LineOrigin = .other, _ configure: (inout Registration) -> Void = { _ in }
  ) {
    run(name, configure)
    pass(to: 1)
    frozen(name)
    pass(to: 2)
    find(name, origin)
    frozen(name)
    jump(to: 100)
  }

  @discardableResult
  mutating func ready(_ name: String, _ readiness: LineReadiness) -> [String] {
    feed(.ready(id(name), LineID(1), readiness))
  }

  @discardableResult
  mutating func refuse(_ name: String, _ why: FreezeRefusal, retryAfter: Double) -> [String] {
    let wait = Interval(nanoseconds: Int64(retryAfter * 1e9))
    return feed(.freezeRefused(id(name), freezeTicket(name), why, retryAfter: wait))
  }
}
