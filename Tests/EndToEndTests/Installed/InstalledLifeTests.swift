import LullSystem
import LullWire
import TestSupport
import Testing

/// What of an installed program goes on over its own end.
@Suite(.bounded) struct InstalledLifeTests {
  @Test func `a purged phone that is launched for its keep-alive pings at once`() throws {
    let rate = 30
    let (lull, netcat) = (try Lull(clockRate: rate), try Netcat())
    let journal = try lull.journal()
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    let install = try lull.start(["install", "phone", "--mode", "voip", "--"] + words)
    #expect(try install.end() == .exited(0))
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("purge", "phone").output == "phone was purged\n")
    let launched = try journal.wait("launched", of: "phone", cause: "keepalive", within: 40_000)
    let ran = try journal.wait("keepalive-ran", of: "phone", within: 40_000)
    let apart = try (ran.number(.at) - launched.number(.at)) * Double(rate)
    #expect(apart < 300, "\(apart) s")
    #expect(try netcat.line.line() == "ping")
  }
}
