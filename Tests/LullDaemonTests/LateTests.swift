import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A daemon that was stopped for a while and goes on.
@Suite(.bounded) struct LateTests {
  /// The clock rate makes 0.6 s of the engine's 5 s, and less of its 20 s than the 4 s after which a daemon
  /// that stands still ends itself.
  private let daemon: DaemonProcess
  private let boss: Peer

  init() throws {
    daemon = try DaemonProcess(clockRate: 8)
    boss = try daemon.connect()
  }

  /// Stops the daemon, lets the given time pass, and lets it go on after `meanwhile`.
  private func stop(milliseconds: Int64, meanwhile: () throws -> Void = {}) throws {
    try daemon.signal(Signal.stop)
    try eventually("the daemon does not stop") {
      let stat = try Files.read("/proc/\(daemon.pid)/stat", limit: 1 << 16)
      return try #require(stat.lastIndex(of: UInt8(ascii: ")")).map { stat[$0 + 2] }) == UInt8(ascii: "T")
    }
    let end = Clock.boottime() + milliseconds * 1_000_000
    try eventually("time stands still") { Clock.boottime() >= end }
    try meanwhile()
    try daemon.signal(Signal.continue)
  }

  @Test func `what a program has said by then is heard before it is killed for not having said it`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    #expect(try phone.ask("background").isOK)
    let notice = try phone.laterNotice(.deliver)
    try stop(milliseconds: 1000) {
      try phone.say("did ticket=\(notice.string(.ticket))\n")
      try phone.settle()
    }
    let next = try phone.laterNotice(.deliver)
    #expect(next[.message] == "didEnterBackground")
    try phone.say("did ticket=\(next.string(.ticket))\n")
    try boss.waitState("phone", "suspended")
  }

  @Test func `a program that waited for its answer has its time all the same`() throws {
    let phone = try daemon.netcat()
    #expect(try phone.ask("register name=phone modes=voip").isOK)
    try stop(milliseconds: 3200)
    for message in ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"] {
      try phone.returned(message)
    }
    try boss.waitState("phone", "active")
  }

  @Test func `a program that says nothing is killed still`() throws {
    let phone = try daemon.netcat()
    #expect(try phone.ask("register name=phone modes=voip").isOK)
    try stop(milliseconds: 1000)
    #expect(try phone.process.end() == .signaled(9))
  }
}
