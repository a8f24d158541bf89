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
    try press(key, on: terminal)
    #expect(try lull.guardian.end() == .exited(0))
    try expectFree(puppet, peer: peer, lull: lull)
  }

  @Test func `Ctrl-Z stops neither of them`() throws {
    let terminal = try PseudoTerminal()
    let lull = try terminal.lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let pid = try lull.pid
    try press("Z", on: terminal)
    #expect(try !Process.isStopped(pid))
    #expect(try !Process.isStopped(Process.parentPid(of: pid)))
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.waitForSleep(of: "puppet")
    try press("C", on: terminal)
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

  /// Presses a key together with Ctrl, and waits until the terminal has shown it: the signal is sent by then.
  private func press(_ key: Character, on terminal: PseudoTerminal) throws {
    try terminal.control(key)
    try terminal.see("^\(key)")
  }

  private func expectFree(_ puppet: Puppet, peer: Channel, lull: Lull) throws {
    _ = try puppet.told("lost")
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(!Files.exists(lull.socket))
  }
}
