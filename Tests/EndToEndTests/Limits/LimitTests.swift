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

  @Test func `a limit does not kill a traced program before its tracer has left`() throws {
    try Executables.require("strace", package: "strace")
    let lull = try Lull(clockRate: 20)
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    let pid = puppet.child.pid
    let tracer = try ConnectedChild(["strace", "-o", "/dev/null", "-p", "\(pid)"])
    try eventually("it is not traced") { try Process.tracer(of: pid) != nil }
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\"")
    try journal.wait("limit-stands", of: "puppet")
    // The limit of 5 s, and the next look after it, are over.
    try eventually("it is not there") {
      let program = try lull.order("status name=puppet").all(.program).first
      return try program?.number(.awakeSeconds) ?? 0 > 12
    }
    #expect(try lull.run("why", "puppet").output.contains("traced by strace (pid \(tracer.pid))"))
    try tracer.signal(Signal.terminate)
    try journal.wait("killed", of: "puppet", cause: "launch-limit")
    #expect(try puppet.child.end() == .signaled(9))
  }
}
