import LullEngine
import TestSupport
import Testing

/// A command that may be a program on the library, which looks for the supervisor at the end of a time-out.
@Suite(.bounded) struct ReturnRuleTests {
  private static func waiting(_ seconds: Double) -> Observation {
    Observation([.waiting(.sources, for: seconds)], [.line(1)])
  }

  private static let comebacks: [@Sendable (inout Registration) -> Void] = [
    { $0.resumes = .background }, { $0.returnsFor = .user },
  ]

  @Test(arguments: comebacks)
  func `one that is back lets a time-out of the first seconds run out`(
    configure: @Sendable (inout Registration) -> Void
  ) throws {
    var script = Script(policy: Script.prompt)
    script.run("server", configure)
    script.pass(to: 1)
    #expect(script.observe(Self.waiting(4)) == "returned")
    #expect(script.nextObservation() == 5.025)
    #expect(script.observe(Self.waiting(5)).hasPrefix("watch"), "it is due after the first seconds")
  }

  @Test func `a timer descriptor is a time-out`() {
    var script = Script(policy: Script.prompt)
    script.run("server") { $0.resumes = .background }
    script.pass(to: 1)
    #expect(script.observe(Self.waiting(600).with { $0.timer = Interval(3) }) == "returned")
  }

  @Test func `one that waits without an end, or was just started, sleeps at once`() {
    var script = Script(policy: Script.prompt)
    script.run("server") { $0.resumes = .background }
    script.pass(to: 1)
    #expect(script.observe(Observation([.waiting(.sources)], [.line(1)])).hasPrefix("watch"))
    var fresh = Script.observed()
    #expect(fresh.observe(Self.waiting(4)).hasPrefix("watch"))
  }

  @Test func `one whose connection to the supervisor has broken may look for it as well`() {
    var script = Script(policy: Script.prompt)
    script.run("server")
    script.ask(.adopt(script.id("server"), Registration(name: "phone")))
    script.pass(to: 2)
    script.feed(.leave(script.id("server")))
    script.pass(to: 3)
    #expect(script.observe(Self.waiting(4)) == "returned")
  }
}
