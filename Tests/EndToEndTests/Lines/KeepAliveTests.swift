import LullSystem
import LullWire
import TestSupport
import Testing

/// At 500 times the speed 600 s pass in 1.2 s. The programs come back with `resume`, so that no limit of the
/// launch, 10 ms then, can be missed on a loaded machine.
@Suite(.bounded) struct KeepAliveTests {
  @Test func `a keep-alive wakes its program every 600 s of the engine's clock`() throws {
    let lull = try Lull(clockRate: 500)
    let journal = try lull.journal()
    let puppet = try Self.resumed(lull, "puppet")
    var moments: [Double] = []
    for _ in 1...3 {
      try journal.wait("woke", of: "puppet", cause: "keepalive")
      moments.append(try journal.wait("keepalive-ran", of: "puppet").number(.at))
      _ = try puppet.notice(.keepalive)
      try journal.waitForSleep(of: "puppet")
    }
    for (earlier, later) in zip(moments, moments.dropFirst()) {
      // The wall clock of the log may be slowed down a little.
      let apart = (later - earlier) * 500
      #expect(apart >= 599 && apart < 660)
    }
    #expect(try lull.run("status").output.contains("500"))
  }

  @Test func `two programs with keep-alives wake together`() throws {
    let lull = try Lull(clockRate: 500)
    let journal = try lull.journal()
    let one = try Self.resumed(lull, "one")
    try journal.waitForSleep(of: "one")
    let other = try Self.resumed(lull, "other")
    try journal.waitForSleep(of: "other")
    for _ in 1...3 {
      let runs = try [journal.wait("keepalive-ran"), journal.wait("keepalive-ran")]
      #expect(Set(runs.compactMap { $0[.program] }) == [one.name, other.name])
      // Both ran in one turn of the daemon's loop. Each entry has its own time; apart they were over 0.1 s.
      #expect(try abs(runs[0].number(.at) - runs[1].number(.at)) < 0.05)
    }
  }

  /// A program with a keep-alive that falls asleep now. Both requests go in one write: 10 s are 20 ms here,
  /// and a program that fell asleep between them would have nothing to wake it.
  private static func resumed(_ lull: Lull, _ name: String) throws -> Puppet {
    try Puppet.resumed(lull, name: name, more: "\nkeepalive timeout=600") { puppet in
      let reply = try puppet.reply()
      #expect(reply.answer == .ok)
    }
  }
}
