import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct LineTests {
  @Test func `the peer sees the program's own close at once, after a sleep too`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.manual(lull, journal)
    try peer.send("bye")
    _ = try puppet.notice(.wake)
    let descriptor = try puppet.told("bytes").integer(.fd)
    try puppet.order("close fd=\(descriptor)")
    #expect(try peer.untilEnd() == "")
    #expect(peer.end == .finished)
    #expect(try puppet.child.isAlive)
  }

  @Test func `a wake that no line caused tells no waiting time`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.waitForSleep(of: puppet.name)
    #expect(try lull.item(.wake, of: puppet.name)[.waitedMicroseconds] != nil)
    _ = try lull.order("wake name=\(puppet.name)")
    #expect(try lull.item(.wake, of: puppet.name)[.waitedMicroseconds] == nil)
  }

  @Test func `200 wakes leak no descriptor`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let pid = try lull.pid
    var before = 0
    for round in 1...220 {
      // By then the connections of the preparations are closed.
      if round == 20 { before = try Kernel.descriptorCount(of: pid) }
      try peer.send("\(round)")
      #expect(try puppet.bytes() == "\(round)")
      try journal.waitForSleep(of: puppet.name)
    }
    let after = try Kernel.descriptorCount(of: pid)
    #expect(after == before)
  }
}
