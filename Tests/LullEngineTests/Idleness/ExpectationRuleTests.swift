import LullEngine
import TestSupport
import Testing

/// Answers and sound that may come any moment: a call that goes on, a query that may be lost, sound that
/// runs.
@Suite(.bounded) struct ExpectationRuleTests {
  private static func tcp(_ seconds: Double) -> WakeSource {
    let ago = Interval(seconds)
    return .line(1) {
      $0.transport = .tcp(.init(sinceSent: ago, sinceReceived: ago, isEstablished: true))
    }
  }

  private static func udp(_ line: UInt32, hasPeer: Bool = true) -> WakeSource {
    .line(line) { $0.transport = .udp(hasPeer: hasPeer) }
  }

  private static func ticking(_ sources: [WakeSource], every seconds: Double = 0.02) -> Observation {
    Observation([.waiting(.sources, for: seconds)], sources)
  }

  @Test func `one that ticks sleeps once its lines were quiet for a second`() {
    var script = Script.observed()
    #expect(script.observe(Self.ticking([Self.tcp(0.3)])) == "ticking")
    #expect(script.nextObservation() == 2.045)
    #expect(script.observe(Self.ticking([Self.tcp(0.999)])) == "ticking")
    #expect(script.detail == .tick(Interval(0.02), isSession: false))
    _ = script.nextObservation()
    #expect(script.observe(Self.ticking([Self.tcp(1)])) == "watch server")
    var slow = Script.observed()
    #expect(slow.observe(Self.ticking([Self.tcp(0.3)], every: 1)) == "watch server")
  }

  @Test func `a byte that woke it is traffic too`() {
    var script = Script.observed()
    script.find("server")
    #expect(script.observe(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextObservation()
    script.sleeps(Self.ticking([.line(1)]))
    script.pass(to: 100)
    script.ready("server", .data)
    var at = script.nextObservation()
    while at < 101 {
      #expect(script.observe(Self.ticking([.line(1)])) == "ticking")
      at = script.nextObservation()
    }
    #expect(script.observe(Self.ticking([.line(1)])) == "watch server")
  }

  private static let call = ticking([.line(1), udp(2, hasPeer: false)])

  /// A program that slept, and in which somebody dials: nothing came on a line.
  private func dialling() -> Script {
    var script = Script.observed()
    script.find("server")
    #expect(script.observe(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextObservation()
    script.sleeps(Self.ticking([.line(1)]))
    script.pass(to: 100)
    script.command("server", .wake)
    return script
  }

  @Test func `a call is not quiet while the machine is suspended`() {
    var script = dialling()
    _ = script.nextObservation()
    #expect(script.observe(Self.call) == "ticking")
    script.jump(to: 3600)
    script.feed(.stoodStill(.seconds(3490)))
    _ = script.nextObservation()
    #expect(script.observe(Self.call) == "ticking")
  }

  @Test func `in a call it must have been quiet for a minute`() {
    var script = dialling()
    let call = Self.call
    var at = script.nextObservation()
    let began = at
    while at < began + 60 {
      #expect(script.observe(call) == "ticking")
      #expect(script.detail == .tick(Interval(0.02), isSession: true))
      at = script.nextObservation()
    }
    script.sleeps(call)
    script.ready("server", .data)
    script.pass(to: at + 1.2)
    script.command("server", .suspend)
    #expect(script.observe(call) == "watch server")
  }

  @Test func `a long time-out that is nearly over is no tick: it is waited for`() {
    var script = Script.observed()
    #expect(script.observe(Observation([.waiting(.sources, for: 0.4)], [.line(1)])) == "ticking")
    #expect(script.nextObservation() == 2.425)
    script.sleeps(Observation([.waiting(.sources, for: 20)], [.line(1)]))
    #expect(script.engine.program(script.id("server"), at: script.now)?.timer?.due == Moment(22.425))
    var descriptor = Script.observed()
    #expect(descriptor.observe(.idle.with { $0.timer = .milliseconds(300) }) == "ticking")
  }

  @Test func `each time that a long time-out is nearly over it is waited for`() {
    var script = Script.observed()
    for (seconds, verdict) in [(0.4, "ticking"), (20, "watch server"), (0.4, "ticking")] {
      #expect(script.observe(Observation([.waiting(.sources, for: seconds)], [.line(1)])) == verdict)
      if verdict == "ticking" {
        _ = script.nextObservation()
      } else {
        script.command("server", .wake)
        _ = script.nextObservation()
      }
    }
  }

  @Test func `what a look found unread is traffic too`() {
    var script = Script.observed()
    #expect(script.observe(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextObservation()
    let began = (script.now - Moment(0)).seconds
    #expect(script.observe(Self.ticking([.line(1) { $0.isReady = true }])) == "unread")
    var at = script.nextObservation()
    while at < began + 1 {
      #expect(script.observe(Self.ticking([.line(1)])) == "ticking")
      at = script.nextObservation()
    }
    #expect(script.observe(Self.ticking([.line(1)])) == "watch server")
  }

  @Test func `the time-out of a query must run out once`() {
    var script = Script.observed()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.observe(query) == "query")
    #expect(script.detail == .query(LineID(2), Interval(5.025)))
    #expect(script.nextObservation() == 7.025)
    // The query was sent again, and is not waited for a second time.
    #expect(script.observe(query) == "watch server")
  }

  @Test func `also when little of it is left at another look`() {
    var script = Script.observed()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.observe(query) == "query")
    script.pass(to: 6.5)
    script.command("server", .suspend)
    #expect(script.observe(query.with { $0.threads[0].timeOut = Interval(0.5) }) == "query")
  }

  /// The freeze at 3 s is never confirmed, is taken back at 4.5 s, or is observed at 4 s.
  @Test(arguments: [(5.0, 9.025), (4.5, 8.525), (4, 8.025)])
  func `a freeze and an observation that take their time prolong it`(end: Double, over: Double) {
    var script = Script.observed()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.observe(query) == "query")
    script.pass(to: 3)
    script.command("server", .suspend)
    #expect(script.pass(to: end).contains("5 s: thaw server") == (end == 5))
    if end == 4.5 { script.command("server", .wake) }
    if end > 4 { _ = script.nextObservation() }
    #expect(script.observe(query) == "query")
    #expect(script.nextObservation() == over)
    #expect(script.observe(query) == "watch server")
  }

  @Test func `it is over when nobody waits for the answer, and when the socket is closed`() {
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    for over in [
      query.with { $0.threads[0].timeOut = nil }, query.with { $0.threads[0].timeOut = .seconds(31) },
      query.with { $0.sources.removeLast() },
    ] {
      var script = Script.observed()
      #expect(script.observe(query) == "query")
      script.pass(to: 3)
      script.command("server", .suspend)
      #expect(script.observe(over) == "watch server")
    }
  }

  @Test func `a long time-out is no query, nor is a socket without a peer before the first sleep`() {
    let sources = [WakeSource.line(1), Self.udp(2)]
    for (seconds, verdict) in [(30.0, "query"), (30.5, "watch server"), (1.0, "query")] {
      var script = Script.observed()
      #expect(script.observe(Observation([.waiting(.sources, for: seconds)], sources)) == verdict)
    }
    var server = Script.observed()
    let listening = Observation([.waiting(.sources, for: 5)], [Self.udp(2, hasPeer: false)])
    server.sleeps(listening)
    server.command("server", .wake)
    _ = server.nextObservation()
    let both = listening.with { $0.sources.append(Self.udp(3, hasPeer: false)) }
    #expect(server.observe(both) == "query")
    #expect(server.detail == .query(LineID(3), Interval(5.025)))
  }

  @Test func `what was open in the last sleep is not new`() {
    var script = Script.observed()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.observe(query) == "query")
    _ = script.nextObservation()
    script.sleeps(query)
    script.command("server", .wake)
    _ = script.nextObservation()
    #expect(script.observe(query) == "watch server")
  }

  @Test func `a device of sound that runs`() {
    var script = Script.observed()
    #expect(script.observe(.idle.with { $0.audioDevice = "pcmC0D0p" }) == "sound")
    #expect(script.detail == .sound("pcmC0D0p", isSure: true))
  }

  @Test func `a stream runs while its threads turn more than five times a second`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.audioTurns = .init(server: "PulseAudio", count: count) }
    }
    for (count, verdict) in [(10, "watch server"), (11, "sound"), (0, "watch server")] as [(UInt64, String)] {
      var script = Script.observed()
      #expect(script.observe(turns(1000)) == "sound")
      #expect(script.detail == .sound("PulseAudio", isSure: false))
      #expect(script.nextObservation() == 3)
      #expect(script.observe(turns(1000 + count)) == verdict)
    }
    var early = Script.observed()
    #expect(early.observe(turns(1000)) == "sound")
    early.pass(to: 2.5)
    early.command("server", .suspend)
    #expect(early.observe(turns(1000)) == "sound")
    #expect(early.nextObservation() == 3)
  }

  @Test func `turns are not counted over a sleep, or a stream would hide in its length`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.audioTurns = .init(server: "JACK", count: count) }
    }
    var script = Script.observed()
    #expect(script.observe(turns(1000)) == "sound")
    _ = script.nextObservation()
    script.sleeps(turns(1001))
    script.pass(to: 500)
    script.command("server", .wake)
    _ = script.nextObservation()
    #expect(script.observe(turns(1101)) == "sound")
    #expect(script.nextObservation() == 502)
    #expect(script.observe(turns(1201)) == "sound")
  }

  @Test func `threads that end take their turns with them, and the stream is counted anew`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.audioTurns = .init(server: "JACK", count: count) }
    }
    var script = Script.observed()
    #expect(script.observe(turns(1000)) == "sound")
    _ = script.nextObservation()
    #expect(script.observe(turns(100)) == "sound")
    #expect(script.nextObservation() == 4)
    #expect(script.observe(turns(105)) == "watch server")
  }
}
