import LullSystem
import LullWire
import TestSupport
import Testing

/// What of an installed program goes on over its own end.
@Suite(.bounded) struct InstalledLifeTests {
  @Test func `a purged phone that is launched for its keep-alive pings at once`() throws {
    let (lull, netcat) = (try Lull(clockRate: 30), try Netcat())
    let journal = try lull.journal()
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    let install = try lull.start(["install", "phone", "--mode", "voip", "--"] + words)
    #expect(try install.end() == .exited(0))
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("purge", "phone").output == "phone was purged\n")
    try journal.wait("launched", of: "phone", cause: "keepalive")
    let next = try journal.next(of: "phone", among: ["keepalive-ran", "frozen"])
    #expect(next[.what] == "keepalive-ran", "\(next)")
    #expect(try netcat.line.line() == "ping")
  }

  @Test func `a start that is over costs lulld nothing but the watch of its keeper`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    _ = try lull.run("install", "p", "--", "sleep", "1000")
    try journal.wait("registered", of: "p")
    try crash(lull)
    try journal.wait("registered", of: "p")
    let daemon = try lull.pid
    try eventually("what its keeper might say is waited for") {
      try !Kernel.links(of: daemon).contains { $0.hasPrefix("pipe:") }
    }
  }

  private func crash(_ lull: Lull) throws {
    let pid = try #require(Int32(try lull.field(.pids, of: "p")))
    try Process.kill(pid, Signal.kill)
  }
}
