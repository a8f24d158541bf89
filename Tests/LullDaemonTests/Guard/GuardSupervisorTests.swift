import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The owner of lull-guard in lulld by itself.
@Suite(.bounded) struct GuardSupervisorTests {
  private let begin = Message(GuardVerb.begin)

  /// A policy in which every life is short, or none.
  private func policy(everyLifeIsShort: Bool) -> SupervisionPolicy {
    var policy = SupervisionPolicy()
    policy.shortLife = .seconds(everyLifeIsShort ? 1000 : -1)
    return policy
  }

  private func pidfd() throws -> DescriptorBox { DescriptorBox(try Process.pidfdOpen(Identity.pid())) }

  @Test func `nothing may be frozen until the guard says that it watches`() throws {
    let stage = try GuardStage()
    #expect(!stage.supervisor.mayFreeze())
    #expect(try stage.say(begin).isEmpty)
    #expect(stage.supervisor.mayFreeze())
  }

  private func line(_ number: Int, _ text: String = "p") -> Message {
    Message(GuardVerb.keepLine).adding(.line, number).adding(.program, text)
  }

  @Test func `the first guard tells of the lines that it kept, until it says that it watches`() throws {
    let stage = try GuardStage()
    #expect(stage.supervisor.isRestoring && stage.supervisor.deadline != nil)
    #expect(try stage.say(line(7), try pidfd()).map(\.text) == ["keep line 7"])
    #expect(try stage.say(Message(GuardVerb.sound).adding(.pid, 5), try pidfd()).map(\.text) == ["sound"])
    #expect(stage.supervisor.isRestoring)
    _ = try stage.say(begin)
    #expect(!stage.supervisor.isRestoring && stage.supervisor.deadline == nil)
  }

  @Test func `a first guard that does not say all is not waited for in vain`() throws {
    var policy = policy(everyLifeIsShort: false)
    policy.restoring = .zero
    let late = try GuardStage(policy)
    #expect(late.supervisor.timeIsUp().isEmpty)
    #expect(!late.supervisor.isRestoring && late.supervisor.deadline == nil && late.supervisor.isThere)
    let dead = try GuardStage()
    _ = try dead.die()
    #expect(!dead.supervisor.isRestoring)
  }

  @Test func `a guard that does not read is never waited for, and told everything anew when it reads`() throws
  {
    let stage = try GuardStage()
    let (own, text) = (try pidfd(), String(repeating: "x", count: 1000))
    for number in 1...2000 {
      stage.supervisor.tell(line(number, text), descriptor: own)
    }
    #expect(stage.supervisor.flush().isEmpty)
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    var outcomes: [GuardOutcome] = []
    while outcomes.isEmpty {
      let came = stage.end().receiveAll(&buffer)
      for (message, descriptor) in try #require(came) {
        #expect(message.verb == "keep-line" && descriptor != nil)
      }
      outcomes = stage.supervisor.flush()
    }
    #expect(outcomes.map(\.text) == ["store all"])
    #expect(stage.supervisor.flush().isEmpty)
  }

  @Test func `a guard that dies is replaced at once, and told of everything`() throws {
    let stage = try GuardStage(policy(everyLifeIsShort: false))
    _ = try stage.say(begin)
    #expect(try stage.die().map(\.text) == ["launch"])
    #expect(!stage.supervisor.mayFreeze())
    #expect(stage.supervisor.launch().map(\.text) == ["launched", "store all"])
    #expect(!stage.supervisor.mayFreeze())
    _ = try stage.say(begin)
    #expect(stage.supervisor.mayFreeze())
    #expect(stage.journal[0]?.what == "guard-replaced")
  }

  @Test func `one that flaps is started later, and meanwhile nothing sleeps`() throws {
    let stage = try GuardStage(policy(everyLifeIsShort: true))
    #expect(try stage.die().map(\.text) == ["launch"])
    _ = stage.supervisor.launch()
    #expect(try stage.die().map(\.text) == ["wake sleepers"])
    #expect(stage.supervisor.deadline != nil && !stage.supervisor.mayFreeze())
    #expect(stage.supervisor.notes().count == 1)
    #expect(stage.launches == 2)
    #expect(stage.journal[0]?.what == "guard-missing")
  }

  @Test func `one that cannot be started is tried again`() throws {
    let stage = try GuardStage(policy(everyLifeIsShort: false))
    _ = try stage.die()
    stage.fail()
    #expect(stage.supervisor.launch().map(\.text) == ["wake sleepers"])
    #expect(stage.supervisor.deadline != nil)
  }

  @Test func `one that does not say that it watches is ended`() throws {
    var policy = policy(everyLifeIsShort: false)
    policy.guardBeginning = .zero
    let stage = try GuardStage(policy)
    // The first guard was there before this process.
    #expect(stage.supervisor.timeIsUp().isEmpty)
    _ = try stage.die()
    _ = stage.supervisor.launch()
    #expect(stage.supervisor.timeIsUp().map(\.text) == ["launch"])
    try ready(stage.process().pidfd.raw, .readable, "it was not ended")
  }

  @Test func `a guard that was stopped is continued before something is frozen`() throws {
    let stage = try GuardStage()
    _ = try stage.say(begin)
    let (process, supervisor) = (stage.process(), stage.supervisor)
    try process.send(Signal.stop)
    try eventually("it was not stopped") { try Process.isStopped(process.pid) }
    #expect(supervisor.mayFreeze())
    try eventually("it was not continued") { try !Process.isStopped(process.pid) }
  }
}
