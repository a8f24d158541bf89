import LullSystem
import LullWire
import Testing

@Suite struct SleepTests {
  @Test func `a program in the background sleeps and the kernel says so`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, _) = try Puppet.sleeping(lull, journal)
    #expect(try lull.state(of: puppet.name) == "suspended")
    #expect(try lull.cgroup(of: puppet.name).state().frozen)
  }

  @Test func `a byte wakes a sleeping program`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(try puppet.notice(.wake)[.reason] == "data")
    try journal.waitForSleep(of: puppet.name)
    #expect(try lull.cgroup(of: puppet.name).state().frozen)
  }
}
