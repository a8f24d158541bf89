import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct LimitTests {
  @Test func `a program that hangs in didEnterBackground is killed, and the log says why`() throws {
    let lull = try Lull(clockRate: 20)
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\" resume=active")
    try puppet.ask("background")
    try puppet.did()
    #expect(try puppet.notice(.deliver)[.message] == "didEnterBackground")
    try journal.wait("killed", of: "puppet", cause: "background-limit")
    #expect(try puppet.child.end() == .signaled(9))
    try journal.wait("exited", of: "puppet")
    #expect(try lull.run("log").output.contains("puppet  killed (background-limit)"))
  }

  @Test func `a program that hangs at its launch is killed, and the log says why`() throws {
    let lull = try Lull(clockRate: 20)
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\"")
    try journal.wait("killed", of: "puppet", cause: "launch-limit")
    #expect(try puppet.child.end() == .signaled(9))
  }

  @Test func `a wake that is not finished ends after 10 s, and the program lives`() throws {
    let lull = try Lull(clockRate: 100)
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\" resume=background")
    try journal.wait("lease-ended", of: "puppet", cause: "limit", detail: "wake")
    try journal.waitForSleep(of: "puppet")
    #expect(try puppet.child.isAlive)
  }

  @Test func `a program that is to end instead of sleeping gets willTerminate and is ended`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let puppet = try Puppet.registered(lull, modes: "\"\"", launch: "foreground", more: "exitsOnSuspend")
    try puppet.ask("background")
    #expect(
      try puppet.wait("willTerminate") { $0[.message] == "willTerminate" }.notice == .deliver)
    try journal.wait("killed", of: "puppet", cause: "exits-on-suspend")
    #expect(try puppet.child.end() == .signaled(9))
  }
}
