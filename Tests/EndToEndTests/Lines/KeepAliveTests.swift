import LullSystem
import LullWire
import TestSupport
import Testing

/// At 500 times the speed 600 s pass in 1.2 s. The programs come back with `resume`, so that no limit of the
/// launch, 10 ms then, can be missed on a loaded machine.
@Suite(.bounded) struct KeepAliveTests {
  @Test func `a keep-alive wakes its program again and again`() throws {
    let lull = try Lull(clockRate: 500)
    let journal = try lull.journal()
    let puppet = try Self.resumed(lull, "puppet")
    for _ in 1...3 {
      try journal.wait("woke", of: "puppet", cause: "keepalive")
      try journal.wait("keepalive-ran", of: "puppet")
      _ = try puppet.notice(.keepalive)
      try journal.waitForSleep(of: "puppet")
    }
    #expect(try lull.run("status").output.contains("500"))
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
