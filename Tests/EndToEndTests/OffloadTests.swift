import LullSystem
import LullWire
import Testing

@Suite struct OffloadTests {
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
    while true {
      try peer.send("ping\n")
      let what = try journal.next(of: "puppet", among: ["ping-answered", "woke"])
      guard what["what"] == "ping-answered" else { break }
      #expect(try peer.line() == "pong")
      answered += 1
    }
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
}
