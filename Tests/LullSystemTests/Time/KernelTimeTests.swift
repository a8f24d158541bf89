import LullSystem
import TestSupport
import Testing

/// The behaviour of timers on which the daemon relies.
@Suite(.bounded) struct KernelTimeTests {
  @Test func `an alarm timer of the boot clock is granted with the capability, and expires`() throws {
    try #require(
      Identity.hasCapability(.wakeAlarm), "this test needs CAP_WAKE_ALARM, which this process does not have")
    let timer = try Timer(.boottimeAlarm)
    try timer.arm(at: Clock.boottime() + 20_000_000)
    #expect(try timer.expirations() == .notYet)
    _ = try ready(timer.raw, .readable)
    #expect(try timer.expirations() == .fired(1))
  }

  @Test func `a timer of the date can be armed to report that the date was set`() throws {
    let timer = try Timer(.realtime)
    #expect(try timer.arm(at: Clock.realtime() + 3_600_000_000_000, cancelOnSet: true) == false)
    #expect(try timer.expirations() == .notYet)
    #expect(try readyNow(timer.raw, .readable) == [])
    try timer.arm(at: Clock.realtime() + 20_000_000, cancelOnSet: true)
    _ = try ready(timer.raw, .readable)
    #expect(try timer.expirations() == .fired(1))
  }
}
