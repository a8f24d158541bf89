import LullSystem
import LullWire
import TestSupport
import Testing

/// lulld started by hand, and the keys of its terminal.
@Suite(.tags(.faults), .bounded) struct TerminalTests {
  @Test(arguments: [Character("C"), "\\"])
  func `Ctrl-C and Ctrl-backslash end both in good order`(key: Character) throws {
    let terminal = try PseudoTerminal()
    let lull = try terminal.lull()
    let (puppet, peer) = try Puppet.sleeping(lull, lull.journal())
    try terminal.pressControl(key)
    #expect(try lull.guardian.end() == .exited(0))
    try expectFree(puppet, peer: peer, lull: lull)
  }

  @Test func `Ctrl-Z stops neither of them`() throws {
    let terminal = try PseudoTerminal()
    let lull = try terminal.lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let pid = try lull.pid
    try terminal.pressControl("Z")
    #expect(try !Process.isStopped(pid))
    #expect(try !Process.isStopped(Process.parentPid(of: pid)))
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.waitForSleep(of: "puppet")
    try terminal.pressControl("C")
    #expect(try lull.guardian.end() == .exited(0))
  }

  @Test func `the end of the terminal ends both in good order`() throws {
    let terminal = try PseudoTerminal()
    let lull = try terminal.lull()
    let (puppet, peer) = try Puppet.sleeping(lull, lull.journal())
    let guardian = try Process.pidfdOpen(Process.parentPid(of: lull.pid))
    terminal.hangUp()
    try Deadline().wait(guardian.raw, .readable, for: "the end of the guard")
    try expectFree(puppet, peer: peer, lull: lull)
  }

  private func expectFree(_ puppet: Puppet, peer: Channel, lull: Lull) throws {
    _ = try puppet.told("lost")
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(!Files.exists(lull.socket))
  }
}
