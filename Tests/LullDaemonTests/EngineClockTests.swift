import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct EngineClockTests {
  @Test func `at rate 1 it is the kernel's clock`() {
    let clock = EngineClock(rate: 1, base: 123)
    for nanoseconds: Int64 in [0, 123, 5_000_000_000, 1 << 60] {
      #expect(clock.moment(atBoottime: nanoseconds) == Moment(nanoseconds: nanoseconds))
      #expect(clock.boottime(at: Moment(nanoseconds: nanoseconds)) == nanoseconds)
    }
  }

  @Test func `it runs so many times faster from its base on`() {
    let clock = EngineClock(rate: 60, base: 1_000_000_000)
    #expect(clock.moment(atBoottime: 1_000_000_000) == Moment(nanoseconds: 1_000_000_000))
    #expect(clock.moment(atBoottime: 11_000_000_000) == Moment(nanoseconds: 601_000_000_000))
  }

  @Test(arguments: [1, 2, 7, 60, 1000] as [Int64])
  func `a timer that is set for a moment never fires before it, and less than one tick late`(rate: Int64) {
    let clock = EngineClock(rate: rate, base: 777)
    for nanoseconds: Int64 in [777, 778, 1000, 1001, 60_000, 999_999_999, 600_000_000_001] {
      let moment = Moment(nanoseconds: nanoseconds)
      let boottime = clock.boottime(at: moment)
      #expect(clock.moment(atBoottime: boottime) >= moment)
      #expect(clock.moment(atBoottime: boottime - 1) < moment)
    }
  }

  @Test func `a restarted daemon that is given the same base goes on where the last one stood`() {
    let first = EngineClock(rate: 30, base: 1000)
    let second = EngineClock(rate: 30, base: 1000)
    #expect(first.moment(atBoottime: 987_654_321) == second.moment(atBoottime: 987_654_321))
  }

  @Test func `it goes forward with the kernel's clock`() {
    let clock = EngineClock(rate: 1000, base: Clock.boottime())
    let first = clock.now()
    var nothing: [PollEntry] = []
    _ = try? Socket.pollMany(&nothing, timeoutMilliseconds: 2)
    #expect(clock.now() - first >= .seconds(1))
  }

  @Test func `far ends saturate`() {
    let clock = EngineClock(rate: 1000, base: 0)
    #expect(clock.moment(atBoottime: .max) == .never)
    #expect(clock.boottime(at: .never) > 0)
  }
}
