import LullEngine
import TestSupport
import Testing

/// The kernel begins select(2) and ppoll(2) again with the rest of their time-out: such a time-out runs out
/// only while the program is awake.
@Suite(.bounded) struct StandingTimerTests {
  private static func waiting(_ seconds: Double) -> Observation {
    var thread = ObservedThread.waiting(.sources, for: seconds)
    thread.course = .standsStill
    return Observation([thread], [.line(1)])
  }

  /// A command that is asleep since 2 s.
  private static func asleep(_ observation: Observation, _ origin: LineOrigin = .other) -> Script {
    var script = Script.observed()
    script.find("server", origin)
    script.sleeps(observation)
    return script
  }

  @Test func `after the wake for it the program stays awake for what it had left, and sleeps again`() {
    var script = Self.asleep(Self.waiting(20))
    #expect(script.pass(to: 600) == ["600 s: thaw server", "600 s: server: woke, timer"])
    #expect(script.nextObservation() == 620.025)
    script.sleeps(Self.waiting(19.975))
    #expect(script.pass(to: 1199) == [])
  }

  @Test func `at most for 60 s: a longer one takes several wakes`() {
    var script = Self.asleep(Self.waiting(150))
    var (left, woken) = (150.0, 600.0)
    for stay in [60.025, 60.025, 29.95 + 0.025] {
      #expect(script.pass(to: woken - 0.001) == [])
      #expect(script.pass(to: woken).last == "\(Moment(woken).text) s: server: woke, timer")
      let look = script.nextObservation()
      #expect(Moment(look) == Moment(woken + stay))
      left -= stay
      script.sleeps(Self.waiting(left > 0 ? left : 150))
      woken += 600
    }
  }

  @Test func `one that is longer than the floor is late by the floor: the sleep lasts no longer`() {
    var script = Script.observed { $0.settings.timers = .floor(.seconds(15)) }
    script.find("server")
    script.sleeps(Self.waiting(54))
    #expect(script.pass(to: 16.9) == [])
    #expect(script.pass(to: 17).last == "17 s: server: woke, timer")
    #expect(script.nextObservation() == 71.025)
    script.sleeps(Self.waiting(53.975))
    #expect(script.pass(to: 86) == [])
    #expect(script.pass(to: 86.025).last == "86.025 s: server: woke, timer")
  }

  @Test func `one that goes on in the sleep needs the usual second`() {
    var script = Self.asleep(Observation([.waiting(.sources, for: 20)], [.line(1)]))
    script.pass(to: 600)
    #expect(script.nextObservation() == 601)
  }

  @Test func `the first one decides`() {
    var script = Self.asleep(Self.waiting(300).with { $0.threads.append(.waiting(.time, for: 20)) })
    script.pass(to: 600)
    #expect(script.nextObservation() == 601)
    var other = Self.asleep(Self.waiting(20).with { $0.threads.append(.waiting(.time, for: 300)) })
    other.pass(to: 600)
    #expect(other.nextObservation() == 620.025)
  }

  @Test func `a byte does not give it that time`() {
    var script = Self.asleep(Self.waiting(20))
    script.pass(to: 100)
    script.ready("server", .data)
    #expect(script.nextObservation() == 100.025)
  }
}

/// A thaw ends epoll_wait(2) with EINTR. A program that calls it again with the whole time-out would never
/// see the end of it.
@Suite(.bounded) struct CutOffTests {
  private static func waiting(_ seconds: Double...) -> Observation {
    let threads = seconds.map { seconds in
      var thread = ObservedThread.waiting(.sources, for: seconds)
      thread.course = .beginsAnew
      return thread
    }
    return Observation(threads, [.line(1)])
  }

  /// A command that is asleep since 2 s.
  private static func asleep(_ observation: Observation) -> Script {
    var script = Script.observed()
    script.find("server", .other)
    script.sleeps(observation)
    return script
  }

  @Test func `after the wake for it it runs out once, and the program sleeps again`() {
    var script = Self.asleep(Self.waiting(20))
    #expect(script.pass(to: 600) == ["600 s: thaw server", "600 s: server: woke, timer"])
    #expect(script.nextObservation() == 601)
    #expect(script.observe(Self.waiting(20)) == "cut-off")
    #expect(script.nextObservation() == 621.025)
    script.sleeps(Self.waiting(20))
    #expect(script.pass(to: 1199) == [])
    #expect(script.pass(to: 1200).last == "1200 s: server: woke, timer")
  }

  @Test func `a program that waits for the rest, or for something else, sleeps at once`() {
    for next in [19, 21, 300] as [Double] {
      var script = Self.asleep(Self.waiting(20))
      script.pass(to: 600)
      _ = script.nextObservation()
      script.sleeps(Self.waiting(next))
    }
  }

  @Test func `the longest of those that were over decides`() {
    var script = Self.asleep(Self.waiting(20, 300, 900))
    script.pass(to: 600)
    _ = script.nextObservation()
    #expect(script.observe(Self.waiting(20, 300, 900)) == "cut-off")
    #expect(script.nextObservation() == 901.025)
  }

  @Test func `a byte gives it no such time`() {
    var script = Self.asleep(Self.waiting(20))
    script.pass(to: 100)
    script.ready("server", .data)
    _ = script.nextObservation()
    script.sleeps(Self.waiting(20))
  }

  @Test func `bytes in between do not put the wake off`() {
    var script = Self.asleep(Self.waiting(20))
    for seconds in [100, 200, 300, 400, 500] as [Double] {
      #expect(script.pass(to: seconds) == [])
      script.ready("server", .data)
      _ = script.nextObservation()
      script.sleeps(Self.waiting(20))
    }
    #expect(script.pass(to: 700).last == "700 s: server: woke, timer")
    var other = Self.asleep(Self.waiting(20))
    other.pass(to: 500)
    other.ready("server", .data)
    _ = other.nextObservation()
    other.sleeps(Self.waiting(19))
    #expect(other.pass(to: 1099) == [])
  }
}
