import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct OffloadTests {
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
