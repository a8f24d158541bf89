import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct OffloadTests {
  @Test func `the daemon answers pings for a sleeping program, and one in 600 s reaches it`() throws {
    let lull = try Lull(clockRate: 50)
    let journal = try lull.journal()
    let server = try Server()
    var line: Channel?
    let puppet = try Puppet.resumed(lull) { puppet in
      let (descriptor, peer) = try puppet.dial(server)
      try puppet.hold(descriptor, "offload=line")
      line = peer
    }
    let peer = try #require(line)
    try journal.waitForSleep(of: "puppet")
    try peer.send("ping\n")
    #expect(try peer.line() == "pong")
    try journal.wait("ping-answered", of: "puppet")
    #expect(try lull.cgroup(of: "puppet").state().frozen)
    #expect(try lull.item(.line, of: "puppet")[.answered] == "1")
    // The pings go on until one reaches the program; it was more than 600 s since the last real one.
    var answered = 1
    let began = Clock.boottime()
    repeat {
      // The peer gets nothing that it has not asked for.
      let noise = try Socket.poll(peer.box.raw, .readable, timeoutMilliseconds: 100)
      #expect(noise.isEmpty)
      try peer.send("ping\n")
      answered += 1
    } while try Self.isAnswered(peer, puppet)
    #expect(try puppet.bytes() == "ping\n")
    let seconds = Double(Clock.boottime() - began) / 1e9 * 50
    #expect(answered > 1 && seconds > 300 && seconds < 700)
  }

  @Test func `what is not exactly a ping wakes the program`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal, hold: "offload=line")
    for text in ["ping", "\n", "ping\nping\n", "pong\n", " ping\n"] {
      try peer.send(text)
      #expect(try puppet.bytes() == text)
      try journal.waitForSleep(of: "puppet")
    }
    #expect(try peer.isQuiet())
  }

  /// True when the daemon has answered, false when the program has got the ping.
  private static func isAnswered(_ peer: Channel, _ puppet: Puppet) throws -> Bool {
    var entries = [PollEntry(peer.box.raw, .readable), PollEntry(puppet.child.output.box.raw, .readable)]
    try #require(try Socket.pollMany(&entries, timeoutMilliseconds: patience) > 0, "nobody got the ping")
    guard !entries[0].readiness.isEmpty else { return false }
    #expect(try peer.line() == "pong")
    return true
  }

  @Test func `a peer that sends one ping after the other reaches the program`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.atBoundary(lull, journal: journal)
    var answered = 0
    repeat {
      try peer.send("ping\n")
      answered += 1
    } while try Self.isAnswered(peer, puppet)
    #expect(answered == 31)
    #expect(try puppet.bytes() == "ping\n")
    let entries = try lull.order("log last=2048").all(.entry)
    #expect(entries.count { $0["what"] == "ping-answered" } == 1)
  }

  @Test func `a ping that cannot be answered wakes the program, whose peer gets whole lines`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let server = try Server(receiveBuffer: 1)
    let (puppet, peer) = try Puppet.atBoundary(lull, journal: journal, server: server) { puppet, line in
      // The program's bytes fill the window of the peer, which reads nothing.
      for _ in 0..<40 { try puppet.order("write fd=\(line) text=\"\(Self.filler)\\n\"") }
    }
    try peer.send("ping\n")
    #expect(try puppet.bytes() == "ping\n")
    try journal.wait("woke", of: "puppet", cause: "data")
    #expect(try lull.item(.line, of: "puppet")[.answered] == "0")
    for _ in 0..<40 { #expect(try peer.line() == Self.filler) }
    #expect(try peer.isQuiet())
  }

  private static let filler = String(repeating: "x", count: 1500)
}
