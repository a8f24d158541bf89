import LullEngine
import TestSupport
import Testing

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
