import LullEngine
import Testing

/// What is on its way, or may be: a call that goes on, a query that may be lost, sound that runs.
@Suite struct ExpectationRuleTests {
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
    var script = Script.lookedAt()
    #expect(script.look(Self.ticking([Self.tcp(0.3)])) == "ticking")
    #expect(script.nextLook() == 2.045)
    #expect(script.look(Self.ticking([Self.tcp(0.999)])) == "ticking")
    #expect(script.detail == .tick(Interval(0.02), isSession: false))
    _ = script.nextLook()
    #expect(script.look(Self.ticking([Self.tcp(1)])) == "watch server")
    var slow = Script.lookedAt()
    #expect(slow.look(Self.ticking([Self.tcp(0.3)], every: 1)) == "watch server")
  }

  @Test func `a byte that woke it is traffic too`() {
    var script = Script.lookedAt()
    script.find("server")
    #expect(script.look(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextLook()
    script.sleeps(Self.ticking([.line(1)]))
    script.pass(to: 100)
    script.ready("server", .data)
    var at = script.nextLook()
    while at < 101 {
      #expect(script.look(Self.ticking([.line(1)])) == "ticking")
      at = script.nextLook()
    }
    #expect(script.look(Self.ticking([.line(1)])) == "watch server")
  }

  @Test func `in a call it must have been quiet for a minute`() {
    var script = Script.lookedAt()
    script.find("server")
    #expect(script.look(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextLook()
    script.sleeps(Self.ticking([.line(1)]))
    script.pass(to: 100)
    // Nothing came on a line: somebody dials.
    script.command("server", .wake)
    let call = Self.ticking([.line(1), Self.udp(2, hasPeer: false)])
    var at = script.nextLook()
    let began = at
    while at < began + 60 {
      #expect(script.look(call) == "ticking")
      #expect(script.detail == .tick(Interval(0.02), isSession: true))
      at = script.nextLook()
    }
    script.sleeps(call)
    script.ready("server", .data)
    script.pass(to: at + 1.2)
    script.command("server", .suspend)
    #expect(script.look(call) == "watch server")
  }

  @Test func `a long time-out that is nearly over is no tick: it is waited for`() {
    var script = Script.lookedAt()
    #expect(script.look(Observation([.waiting(.sources, for: 0.4)], [.line(1)])) == "ticking")
    #expect(script.nextLook() == 2.425)
    script.sleeps(Observation([.waiting(.sources, for: 20)], [.line(1)]))
    #expect(script.engine.program(script.id("server"), at: script.now)?.timer?.due == Moment(22.425))
    var descriptor = Script.lookedAt()
    #expect(descriptor.look(.idle.with { $0.timer = .milliseconds(300) }) == "ticking")
  }

  @Test func `each time that a long time-out is nearly over it is waited for`() {
    var script = Script.lookedAt()
    for (seconds, verdict) in [(0.4, "ticking"), (20, "watch server"), (0.4, "ticking")] {
      #expect(script.look(Observation([.waiting(.sources, for: seconds)], [.line(1)])) == verdict)
      if verdict == "ticking" {
        _ = script.nextLook()
      } else {
        script.command("server", .wake)
        _ = script.nextLook()
      }
    }
  }

  @Test func `what a look found unread is traffic too`() {
    var script = Script.lookedAt()
    #expect(script.look(Self.ticking([.line(1)])) == "ticking")
    _ = script.nextLook()
    let began = (script.now - Moment(0)).seconds
    #expect(script.look(Self.ticking([.line(1) { $0.isReady = true }])) == "unread")
    var at = script.nextLook()
    while at < began + 1 {
      #expect(script.look(Self.ticking([.line(1)])) == "ticking")
      at = script.nextLook()
    }
    #expect(script.look(Self.ticking([.line(1)])) == "watch server")
  }

  @Test func `the time-out of a query must run out once`() {
    var script = Script.lookedAt()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.look(query) == "query")
    #expect(script.detail == .query(LineID(2), Interval(5.025)))
    #expect(script.nextLook() == 7.025)
    // It was sent again, and is not waited for a second time.
    #expect(script.look(query) == "watch server")
  }

  @Test func `also when little of it is left at another look`() {
    var script = Script.lookedAt()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.look(query) == "query")
    script.pass(to: 6.5)
    script.command("server", .suspend)
    #expect(script.look(query.with { $0.threads[0].timeOut = Interval(0.5) }) == "query")
  }

  @Test func `it is over when nobody waits for the answer, and when the socket is closed`() {
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    for over in [
      query.with { $0.threads[0].timeOut = nil }, query.with { $0.threads[0].timeOut = .seconds(31) },
      query.with { $0.sources.removeLast() },
    ] {
      var script = Script.lookedAt()
      #expect(script.look(query) == "query")
      script.pass(to: 3)
      script.command("server", .suspend)
      #expect(script.look(over) == "watch server")
    }
  }

  @Test func `a long time-out is no query, nor is a socket without a peer before the first sleep`() {
    let sources = [WakeSource.line(1), Self.udp(2)]
    for (seconds, verdict) in [(30.0, "query"), (30.5, "watch server"), (1.0, "query")] {
      var script = Script.lookedAt()
      #expect(script.look(Observation([.waiting(.sources, for: seconds)], sources)) == verdict)
    }
    var server = Script.lookedAt()
    let listening = Observation([.waiting(.sources, for: 5)], [Self.udp(2, hasPeer: false)])
    server.sleeps(listening)
    server.command("server", .wake)
    _ = server.nextLook()
    let both = listening.with { $0.sources.append(Self.udp(3, hasPeer: false)) }
    #expect(server.look(both) == "query")
    #expect(server.detail == .query(LineID(3), Interval(5.025)))
  }

  @Test func `what was open in the last sleep is not new`() {
    var script = Script.lookedAt()
    let query = Observation([.waiting(.sources, for: 5)], [.line(1), Self.udp(2)])
    #expect(script.look(query) == "query")
    _ = script.nextLook()
    script.sleeps(query)
    script.command("server", .wake)
    _ = script.nextLook()
    #expect(script.look(query) == "watch server")
  }

  @Test func `a device of sound that runs`() {
    var script = Script.lookedAt()
    #expect(script.look(.idle.with { $0.soundDevice = "pcmC0D0p" }) == "sound")
    #expect(script.detail == .sound("pcmC0D0p", isSure: true))
  }

  @Test func `a stream runs while its threads turn more than five times a second`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.soundTurns = .init(server: "PulseAudio", count: count) }
    }
    for (count, verdict) in [(10, "watch server"), (11, "sound"), (0, "watch server")] as [(UInt64, String)] {
      var script = Script.lookedAt()
      #expect(script.look(turns(1000)) == "sound")
      #expect(script.detail == .sound("PulseAudio", isSure: false))
      #expect(script.nextLook() == 3)
      #expect(script.look(turns(1000 + count)) == verdict)
    }
    var early = Script.lookedAt()
    #expect(early.look(turns(1000)) == "sound")
    early.pass(to: 2.5)
    early.command("server", .suspend)
    #expect(early.look(turns(1000)) == "sound")
    #expect(early.nextLook() == 3)
  }

  @Test func `turns are not counted over a sleep, or a stream would hide in its length`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.soundTurns = .init(server: "JACK", count: count) }
    }
    var script = Script.lookedAt()
    #expect(script.look(turns(1000)) == "sound")
    _ = script.nextLook()
    script.sleeps(turns(1001))
    script.pass(to: 500)
    script.command("server", .wake)
    _ = script.nextLook()
    #expect(script.look(turns(1101)) == "sound")
    #expect(script.nextLook() == 502)
    #expect(script.look(turns(1201)) == "sound")
  }

  @Test func `threads that end take their turns with them, and the stream is counted anew`() {
    func turns(_ count: UInt64) -> Observation {
      .idle.with { $0.soundTurns = .init(server: "JACK", count: count) }
    }
    var script = Script.lookedAt()
    #expect(script.look(turns(1000)) == "sound")
    _ = script.nextLook()
    #expect(script.look(turns(100)) == "sound")
    #expect(script.nextLook() == 4)
    #expect(script.look(turns(105)) == "watch server")
  }
}
