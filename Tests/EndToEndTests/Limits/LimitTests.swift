import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct LimitTests {
  @Test func `a program that hangs at its launch is killed, and the log says why`() throws {
    let lull = try Lull(clockRate: 20)
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\"")
    try journal.wait("killed", of: "puppet", cause: "launch-limit")
    #expect(try puppet.child.end() == .signaled(9))
    try journal.wait("exited", of: "puppet")
    #expect(try lull.run("log").output.contains("puppet  killed (launch-limit)"))
  }
}
