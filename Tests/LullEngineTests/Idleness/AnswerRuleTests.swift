import LullEngine
import TestSupport
import Testing

/// A server may answer at its own tick: when it has received something and sent nothing since, the time-out
/// of its wait runs out once.
@Suite(.bounded) struct AnswerRuleTests {
  private static func tcp(
    _ line: UInt32 = 1, received: Double, sent: Double, hasSent: Bool = true
  ) -> WakeSource {
    var activity = WakeSource.Activity(
      sinceSent: Interval(sent), sinceReceived: Interval(received), isEstablished: true)
    activity.hasSent = hasSent
    return .line(line) { $0.transport = .tcp(activity) }
  }

  private static func waiting(_ seconds: Double?, _ sources: WakeSource...) -> Observation {
    Observation([.waiting(.sources, for: seconds)], sources)
  }

  /// Woken by a byte on line 1 at 100 s, after its sleep since 2 s; observed at 100.025 s.
  private static func woken(_ sleeper: Observation = .idle) -> Script {
    var script = Script.observed()
    script.find("server")
    script.sleeps(sleeper)
    script.pass(to: 100)
    script.ready("server", .data)
    _ = script.nextObservation()
    return script
  }

  /// The kernel counts from the beginning of a connection on which nothing was sent.
  @Test(arguments: [(50, true), (50, false), (0.02, false)] as [(Double, Bool)])
  func `the time-out runs out once, whatever was answered before`(sent: Double, hasSent: Bool) {
    var script = Self.woken()
    let owed = Self.waiting(1.5, Self.tcp(received: 0.025, sent: sent, hasSent: hasSent))
    #expect(script.observe(owed) == "answering")
    #expect(script.detail == .query(LineID(1), Interval(1.525)))
    #expect(script.nextObservation() == 101.55)
    #expect(script.observe(owed) == "watch server")
  }

  @Test func `one that has answered sleeps at once, and so does one that has no such time-out`() {
    for (seconds, received, sent) in [(1.5, 0.025, 0.02), (nil, 0.025, 50), (2.1, 0.025, 50)] {
      var script = Self.woken()
      let seen = Self.waiting(seconds, Self.tcp(received: received, sent: sent))
      #expect(script.observe(seen) == "watch server")
    }
    var script = Self.woken()
    #expect(script.observe(Self.waiting(2, Self.tcp(received: 0.025, sent: 50))) == "answering")
  }

  @Test func `a nap and a timer descriptor are such time-outs too`() {
    let source = Self.tcp(received: 0.025, sent: 50)
    var napping = Self.woken()
    #expect(napping.observe(Observation([.waiting(.time, for: 1.5)], [source])) == "answering")
    var timer = Self.woken()
    #expect(timer.observe(Self.waiting(nil, source).with { $0.timer = Interval(1.5) }) == "answering")
  }

  @Test func `what came before the last sleep is not waited for again`() {
    var script = Self.woken()
    let (answered, old) = (Self.tcp(received: 0.025, sent: 0.02), Self.tcp(2, received: 98.5, sent: 200))
    #expect(script.observe(Self.waiting(1.5, answered, old)) == "watch server")
  }

  @Test func `another line that is not answered has a time-out of its own`() {
    var script = Self.woken()
    let first = Self.waiting(1.5, Self.tcp(received: 0.025, sent: 50))
    #expect(script.observe(first) == "answering")
    _ = script.nextObservation()
    let both = Self.waiting(1, Self.tcp(received: 1.55, sent: 50), Self.tcp(2, received: 0.3, sent: 50))
    #expect(script.observe(both) == "answering")
    #expect(script.detail == .query(LineID(2), Interval(1.025)))
  }

  @Test func `of a datagram it is known only that it woke the program`() {
    let udp = WakeSource.line(1) { $0.transport = .udp(hasPeer: false) }
    var script = Self.woken(Self.waiting(nil, udp))
    let seen = Self.waiting(1.5, udp)
    #expect(script.observe(seen) == "answering")
    #expect(script.nextObservation() == 101.55)
    script.sleeps(seen)
    script.command("server", .wake)
    _ = script.nextObservation()
    #expect(script.observe(seen) == "watch server")
  }

  @Test func `a line within the program is no peer`() {
    var script = Self.woken()
    let inner = Self.tcp(2, received: 0.025, sent: 50).with { $0.reach = .inside }
    let answered = Self.tcp(received: 0.025, sent: 0.02)
    #expect(script.observe(Self.waiting(1.5, answered, inner)) == "watch server")
  }
}

/// A thread of a program on the library that waits for a name server.
@Suite(.bounded) struct QueryRuleTests {
  private static func asking(_ socket: UInt64, for seconds: Double = 5) -> Observation {
    var thread = ObservedThread.waiting(.sources, for: seconds)
    thread.query = socket
    return Observation([.waiting(.sources), thread])
  }

  private static func phone() -> Script {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    return script
  }

  @Test func `it keeps the program awake until it is over`() {
    var script = Self.phone()
    #expect(script.observed("phone", Self.asking(7)) == ["thaw phone"])
    script.pass(to: 2)
    #expect(script.observed("phone", Self.asking(7)) == ["thaw phone"])
    script.pass(to: 6)
    #expect(script.observed("phone", Observation([.waiting(.sources)])) == ["watch phone"])
  }

  @Test func `a socket that is always waited for keeps it awake once, for half a minute at most`() {
    var script = Self.phone()
    while script.observed("phone", Self.asking(7)) == ["thaw phone"] {
      guard let retry = script.engine.deadline else { break }
      script.pass(to: (retry - Moment(0)).seconds)
    }
    let slept = (script.now - Moment(0)).seconds
    #expect((30...65).contains(slept), "\(slept)")
    script.frozen("phone")
    script.command("phone", .wake)
    script.done("phone")
    #expect(script.observed("phone", Self.asking(7)) == ["watch phone"])
  }

  @Test func `a wait of more than half a minute is none`() {
    var script = Self.phone()
    #expect(script.observed("phone", Self.asking(7, for: 31)) == ["watch phone"])
  }
}

/// A command that may be a program on the library, which looks for the supervisor at the end of a time-out.
@Suite(.bounded) struct ReturnRuleTests {
  private static func waiting(_ seconds: Double) -> Observation {
    Observation([.waiting(.sources, for: seconds)], [.line(1)])
  }

  private static let comebacks: [@Sendable (inout Registration) -> Void] = [
    { $0.resumes = .background }, { $0.returnsFor = .user },
  ]

  @Test(arguments: comebacks)
  func `one that is back lets a time-out of the first seconds run out`(
    configure: @Sendable (inout Registration) -> Void
  ) throws {
    var script = Script(policy: Script.prompt)
    script.run("server", configure)
    script.pass(to: 1)
    #expect(script.observe(Self.waiting(4)) == "returned")
    #expect(script.nextObservation() == 5.025)
    #expect(script.observe(Self.waiting(5)).hasPrefix("watch"), "it is due after the first seconds")
  }

  @Test func `a timer descriptor is a time-out`() {
    var script = Script(policy: Script.prompt)
    script.run("server") { $0.resumes = .background }
    script.pass(to: 1)
    #expect(script.observe(Self.waiting(600).with { $0.timer = Interval(3) }) == "returned")
  }

  @Test func `one that waits without an end, or was just started, sleeps at once`() {
    var script = Script(policy: Script.prompt)
    script.run("server") { $0.resumes = .background }
    script.pass(to: 1)
    #expect(script.observe(Observation([.waiting(.sources)], [.line(1)])).hasPrefix("watch"))
    var fresh = Script.observed()
    #expect(fresh.observe(Self.waiting(4)).hasPrefix("watch"))
  }

  @Test func `one whose connection to the supervisor has broken may look for it as well`() {
    var script = Script(policy: Script.prompt)
    script.run("server")
    script.ask(.adopt(script.id("server"), Registration(name: "phone")))
    script.pass(to: 2)
    script.feed(.leave(script.id("server")))
    script.pass(to: 3)
    #expect(script.observe(Self.waiting(4)) == "returned")
  }
}
