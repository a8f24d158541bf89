import LullEngine
import TestSupport
import Testing

/// No condition that a thread waits for may hold.
@Suite(.bounded) struct UnreadRuleTests {
  private static func ready(_ role: WakeSource.Role, trace: UInt64 = 1, unread: Int = 5) -> WakeSource {
    .line(1, role: role) { ($0.isReady, $0.trace, $0.unread) = (true, trace, unread) }
  }

  @Test func `what a thread waits for is never disregarded`() {
    for role in [WakeSource.Role.waited, .set] {
      var script = Script.observed()
      for _ in 1...10 {
        #expect(script.observe(Observation([.waiting(.sources)], [Self.ready(role)])) == "unread")
        #expect(script.detail == .line(LineID(1), unread: 5))
        _ = script.nextObservation()
      }
    }
  }

  @Test func `an eventfd that a thread waits for counts as well`() {
    var script = Script.observed()
    let rung = WakeSource.own()
    let own = Observation([.waiting(.sources)], [.line(1), rung.with { $0.isReady = true }])
    #expect(script.observe(own) == "unread")
    #expect(script.detail == .none)
  }

  @Test func `a member of a set that is not ready is no condition`() {
    var script = Script.observed()
    let set = WakeSource.line(1, role: .set)
    let told = WakeSource.line(2, role: .member) { $0.isReady = true }
    #expect(script.observe(Observation([.waiting(.sources)], [set, told])) == "watch server")
  }

  @Test func `what a set has told is no condition where its members are watched either, a change there is`() {
    var script = Script.observed()
    let told = WakeSource.line(1, role: .open) { ($0.isReady, $0.isTold) = (true, true) }
    let observation = Observation([.waiting(.sources)], [told, .line(2)])
    #expect(script.observe(observation) == "watch server, the engine decides, changes of line 1")
  }

  @Test func `in a process that naps it counts until it was left alone for 3 s`() {
    let napping = Observation([.waiting(.time)], [Self.ready(.open)])
    var script = Script.observed()
    #expect(script.observe(napping) == "unread")
    var at = script.nextObservation()
    while at < 5 {
      #expect(script.observe(napping) == "unread")
      at = script.nextObservation()
    }
    #expect(script.observe(napping) == "watch server, the engine decides, changes of line 1")
  }

  @Test func `the end of what is inside and that only a nap would find counts for nothing`() {
    func napping(_ reach: WakeSource.Reach) -> Observation {
      let kept = Self.ready(.open, unread: 0).with { ($0.reach, $0.isAtEnd) = (reach, true) }
      return Observation([.waiting(.time, for: 50)], [.line(2), kept])
    }
    var script = Script.observed()
    #expect(script.observe(napping(.inside)) == "watch server, the engine decides, changes of line 1")
    var outside = Script.observed()
    #expect(outside.observe(napping(.outside)) == "unread")
    var waited = Script.observed()
    #expect(waited.observe(napping(.inside).with { $0.sources[1].role = .waited }) == "unread")
  }

  @Test func `anything new there counts anew`() {
    var script = Script.observed()
    #expect(script.observe(Observation([.waiting(.time)], [Self.ready(.open)])) == "unread")
    script.pass(to: 6)
    #expect(script.observe(Observation([.waiting(.time)], [Self.ready(.open, trace: 2)])) == "unread")
    _ = script.nextObservation()
    #expect(script.observe(Observation([.waiting(.time)], [Self.ready(.open, trace: 2)])) == "unread")
  }

  @Test func `and so does as much after a thread has worked`() {
    let napping = Observation([.waiting(.time)], [Self.ready(.open)])
    var script = Script.observed()
    #expect(script.observe(napping) == "unread")
    _ = script.nextObservation()
    #expect(script.observe(Observation([.waiting(.works)])) == "not-idle")
    script.command("server", .suspend)
    script.jump(to: 5.5)
    #expect(script.observe(napping) == "unread")
  }

  @Test func `a nap that was seen must be over, however little of it is left later`() {
    func napping(_ left: Double) -> Observation {
      Observation([.waiting(.time, for: left)], [Self.ready(.open)])
    }
    var script = Script.observed()
    #expect(script.observe(napping(20)) == "unread")
    script.pass(to: 21)
    script.command("server", .suspend)
    #expect(script.observe(napping(1.5)) == "unread")
    script.pass(to: 23.1)
    script.command("server", .suspend)
    #expect(script.observe(napping(19)) == "watch server, the engine decides, changes of line 1")
  }

  @Test func `a nap of more than a minute is not waited for`() {
    let napping = Observation([.waiting(.time, for: 9000)], [Self.ready(.open)])
    var script = Script.observed()
    #expect(script.observe(napping) == "unread")
    var at = script.nextObservation()
    while at < 63 {
      #expect(script.observe(napping) == "unread")
      at = script.nextObservation()
    }
    #expect(at < 75)
    #expect(script.observe(napping) == "watch server, the engine decides, changes of line 1")
  }

  @Test func `a pipe of its own with a byte in it that nobody waits for does not keep it awake for ever`() {
    let lock = WakeSource(line: nil, role: .open, reach: .inside).with { $0.isReady = true }
    let napping = Observation([.waiting(.sources), .waiting(.time)], [.line(1), lock])
    var script = Script.observed()
    #expect(script.observe(napping) == "unread")
    script.pass(to: 5)
    script.command("server", .suspend)
    #expect(script.observe(napping) == "watch server")
  }

  @Test func `what is still being sent where bytes are unread is not disregarded`() {
    var script = Script.observed()
    let full = Self.ready(.open).with { $0.isFull = true }
    for _ in 1...8 {
      #expect(script.observe(Observation([.waiting(.time)], [full])) == "unread")
      _ = script.nextObservation()
    }
  }

  @Test func `a connection that takes no bytes wakes by its room`() {
    var script = Script.observed()
    let full = WakeSource.line(3, role: .open) { $0.isFull = true }
    #expect(script.observe(Observation([.waiting(.time)], [full])) == "watch server, room on line 3")
    var waits = Script.observed()
    let waited = WakeSource.line(3) { $0.isFull = true }
    #expect(waits.observe(Observation([.waiting(.sources)], [waited])) == "watch server")
  }

  @Test func `a player that is paused need not look at its doorbell`() {
    let rung = WakeSource(line: nil, role: .waited, reach: .doorbell).with { $0.isReady = true }
    let player = Observation([.waiting(.sources)], [.line(1), rung])
    var script = Script.observed()
    #expect(script.observe(player) == "unread")
    #expect(script.detail == .doorbell)
    script.pass(to: 4.9)
    script.command("server", .suspend)
    #expect(script.observe(player) == "unread")
    script.pass(to: 5)
    script.command("server", .suspend)
    #expect(script.observe(player) == "watch server")
  }

  @Test func `a doorbell that a program makes ring again and again while it naps keeps it awake for 3 s`() {
    let rung = WakeSource(line: nil, role: .open, reach: .doorbell).with { $0.isReady = true }
    let rings = Observation([.waiting(.time)], [.line(1), rung])
    var script = Script.observed()
    #expect(script.observe(rings) == "unread")
    script.pass(to: 3)
    script.command("server", .suspend)
    #expect(script.observe(Observation([.waiting(.works)], [.line(1), rung])) == "not-idle")
    script.pass(to: 5)
    script.command("server", .suspend)
    #expect(script.observe(rings) == "watch server")
    // After a sleep the 3 s begin anew.
    script.frozen("server")
    for transition in [Transition.wake, .suspend] { script.command("server", transition) }
    #expect(script.observe(rings) == "unread")
  }

  @Test func `an answer to what it sent of its own accord may come any moment`() {
    func sent(_ sent: Double, received: Double, isEstablished: Bool = true) -> Observation {
      let activity = WakeSource.Activity(
        sinceSent: Interval(sent), sinceReceived: Interval(received), isEstablished: isEstablished)
      return Observation([.waiting(.sources)], [.line(1) { $0.transport = .tcp(activity) }])
    }
    var script = Script.observed()
    #expect(script.observe(sent(0.4, received: 0.6)) == "unanswered")
    #expect(script.detail == .line(LineID(1), unread: 0))
    #expect(script.nextObservation() == 2.6)
    #expect(script.observe(sent(1, received: 1.2)) == "watch server")
    for idle in [sent(0.1, received: 0.2), sent(0.4, received: 9, isEstablished: false)] {
      var other = Script.observed()
      #expect(other.observe(idle) == "watch server")
    }
  }
}
