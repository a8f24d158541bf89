import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct TaskTests {
  @Test func `a finite-length task keeps its program awake until it ends`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let puppet = try Self.withTask(lull, profile: "ios4")
    #expect(try lull.item(.lease, of: "puppet")[.lease] == "task")
    #expect(try lull.item(.lease, of: "puppet")[.task] == "upload")
    #expect(try lull.state(of: "puppet") == "background")
    #expect(try lull.connect().ask("suspend name=puppet").last[.code] == "busy")
    try puppet.last("end-task task=1")
    try journal.waitForSleep(of: "puppet")
  }

  @Test(arguments: [("ios4", 600.0), ("ios7", 180.0)])
  func `a task is told 5 s before its time is over, and one still open then is killed`(
    profile: String, budget: Double
  ) throws {
    let lull = try Lull(clockRate: 100)
    let journal = try lull.journal()
    let puppet = try Self.withTask(lull, profile: profile)
    let began = try journal.wait("task-began", of: "puppet").number(.at)
    #expect(try puppet.notice(.expire)[.task] == "1")
    let expired = try journal.wait("task-expired", of: "puppet").number(.at)
    let killed = try journal.wait("killed", of: "puppet", cause: "task-limit").number(.at)
    let run = (expired - began) * 100
    #expect(run > budget - 60 && run <= budget + 1)
    #expect((killed - expired) * 100 > 4)
    #expect(try puppet.child.end() == .signaled(9))
  }

  @Test func `a task that ends when it is told to leaves its program alive`() throws {
    let lull = try Lull(clockRate: 50)
    let journal = try lull.journal()
    let puppet = try Self.withTask(lull, profile: "ios7")
    _ = try puppet.notice(.expire)
    try puppet.last("end-task task=1")
    try journal.waitForSleep(of: "puppet")
    #expect(try puppet.child.isAlive)
  }

  /// A program that is done with its wake and has a task open.
  private static func withTask(_ lull: Lull, profile: String) throws -> Puppet {
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=\"\" resume=background profile=\(profile)")
    #expect(try puppet.ask("begin-task name=upload")[.task] == "1")
    try puppet.done()
    // The reply comes after the daemon has read the text line before it.
    try puppet.ask("remaining")
    return puppet
  }
}
