import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct TimerTests {
  @Test func `a timer expires at its moment and not before`() throws {
    let timer = try Timer(.boottime)
    let moment = Clock.boottime() + 30_000_000
    try timer.arm(at: moment)
    #expect(try timer.expirations() == .notYet)
    _ = try ready(timer.raw, .readable)
    #expect(Clock.boottime() >= moment)
    #expect(try timer.expirations() == .fired(1))
    #expect(try timer.expirations() == .notYet)
  }

  @Test(arguments: [-5, 0, 1, 1_000_000_000] as [Int64])
  func `a moment in the past expires at once`(moment: Int64) throws {
    let timer = try Timer(.boottime)
    try timer.arm(at: moment)
    _ = try ready(timer.raw, .readable)
    #expect(try timer.expirations() == .fired(1))
  }

  @Test func `a disarmed timer does not expire`() throws {
    let timer = try Timer(.boottime)
    try timer.arm(at: 1)
    _ = try ready(timer.raw, .readable)
    try timer.disarm()
    #expect(try readyNow(timer.raw, .readable) == [])
    #expect(try timer.expirations() == .notYet)
  }

  @Test func `the clocks are those of the kernel`() throws {
    let before = Clock.boottime()
    let uptime = try Files.read("/proc/uptime", limit: 100)
    let seconds = try #require(Double(String(decoding: uptime.prefix { $0 != 32 }, as: UTF8.self)))
    let after = Clock.boottime()
    #expect(Double(before) / 1e9 - 0.02 <= seconds)
    #expect(seconds <= Double(after) / 1e9)
    #expect(abs(Clock.realtime() / 1_000_000_000 - Int64(time(nil))) <= 1)
  }

  @Test func `a signal is read with its sender`() async {
    await #expect(processExitsWith: .success) {
      let signals = try SignalDescriptor(blocking: [Signal.user1, Signal.terminate])
      #expect(try signals.next() == nil)
      #expect(pthread_kill(pthread_self(), Signal.user1) == 0)
      _ = try ready(signals.raw, .readable)
      let next = try #require(try signals.next())
      #expect(next == (signal: Signal.user1, pid: getpid()))
      #expect(try signals.next() == nil)
    }
  }

  @Test func `an ignored signal does nothing, and has a name`() async {
    await #expect(processExitsWith: .success) {
      try Signal.ignore(Signal.hangUp)
      try Process.kill(getpid(), Signal.hangUp)
    }
    #expect(Signal.name(of: Signal.hangUp) == "SIGHUP")
    #expect(Signal.name(of: 99) == "signal 99")
  }
}
