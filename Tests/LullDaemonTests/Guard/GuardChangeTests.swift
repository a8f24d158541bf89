import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The change from one lull-guard to another, in an upgrade: guard 0 gives way to guard 1.
@Suite(.bounded) struct GuardChangeTests {
  private let begin = Message(GuardVerb.begin)

  /// A change whose new guard has not said anything.
  private func stage(_ policy: SupervisionPolicy = SupervisionPolicy()) throws -> GuardStage {
    let stage = try GuardStage(policy)
    _ = try stage.say(begin)
    try stage.supervisor.change(to: "/new")
    #expect(stage.launches == 2 && stage.supervisor.mayFreeze())
    return stage
  }

  private func impatient() -> SupervisionPolicy {
    var policy = SupervisionPolicy()
    policy.guardChange = .zero
    return policy
  }

  @Test func `the old guard leaves when the new one watches and has been told everything`() throws {
    let stage = try stage()
    #expect(try stage.say(begin).map(\.text) == ["launched", "store all"])
    #expect(stage.supervisor.mayFreeze() && stage.supervisor.pid == stage.process(1).pid)
    #expect(try !stage.isTold(0))
    #expect(stage.supervisor.flush().isEmpty)
    #expect(try stage.told(0) == Message(GuardVerb.leave))
    #expect(try stage.die(0).map(\.text) == ["replaced"])
    #expect(stage.supervisor.mayFreeze() && stage.supervisor.deadline == nil)
    #expect(try stage.die(1).map(\.text) == ["launch"])
  }

  @Test func `while something waits for the new guard the old one stays`() throws {
    let stage = try stage()
    _ = try stage.say(begin)
    let text = String(repeating: "x", count: 1000)
    for _ in 1...500 { stage.supervisor.tell(Message(GuardVerb.dropLine).adding(.program, text)) }
    #expect(stage.supervisor.flush().isEmpty)
    #expect(try !stage.isTold(0))
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    while try !stage.isTold(0) {
      #expect(stage.end(1).receiveAll(&buffer) != nil)
      _ = stage.supervisor.flush()
    }
    #expect(try stage.told(0) == Message(GuardVerb.leave))
  }

  @Test func `what the old guard says meanwhile counts`() throws {
    let stage = try stage()
    #expect(try stage.say(Message(GuardVerb.thawed), as: 0).map(\.text) == ["wake sleepers"])
    _ = try stage.say(begin)
    #expect(try stage.say(Message(GuardVerb.thawed), as: 0).map(\.text) == ["wake sleepers"])
  }

  @Test func `a new guard that ends before it watches changes nothing`() throws {
    let stage = try stage()
    #expect(try stage.die(1).map(\.text) == ["unchanged"])
    #expect(stage.supervisor.mayFreeze() && stage.supervisor.pid == stage.process(0).pid)
    #expect(stage.supervisor.deadline == nil)
    try stage.supervisor.change(to: "/new")
    #expect(stage.launches == 3)
  }

  @Test func `a new guard that ends before the old one was told to leave changes nothing`() throws {
    let stage = try stage()
    _ = try stage.say(begin)
    #expect(try stage.die(1).map(\.text) == ["launched", "store all", "unchanged"])
    #expect(stage.supervisor.mayFreeze() && stage.supervisor.pid == stage.process(0).pid)
    #expect(try !stage.isTold(0))
  }

  @Test func `a new guard that does not say that it watches is ended`() throws {
    let stage = try stage(impatient())
    #expect(stage.supervisor.timeIsUp().map(\.text) == ["unchanged"])
    try ready(stage.process(1).pidfd.raw, .readable, "it was not ended")
    #expect(stage.supervisor.mayFreeze() && stage.supervisor.deadline == nil)
  }

  @Test func `an old guard that does not leave is ended`() throws {
    let stage = try stage(impatient())
    _ = try stage.say(begin)
    #expect(stage.supervisor.timeIsUp().isEmpty)
    try ready(stage.process(0).pidfd.raw, .readable, "it was not ended")
    #expect(stage.supervisor.deadline == nil)
    #expect(try stage.die(0).map(\.text) == ["replaced"])
  }

  @Test func `an old guard that is stopped is continued, so that it leaves`() throws {
    let stage = try stage()
    let old = stage.process(0)
    try old.send(Signal.stop)
    try eventually("it was not stopped") { try Process.isStopped(old.pid) }
    _ = try stage.say(begin)
    _ = stage.supervisor.flush()
    try eventually("it was not continued") { try !Process.isStopped(old.pid) }
  }

  @Test func `where the old guard dies meanwhile the new one is ended, and another one started`() throws {
    let stage = try stage()
    #expect(try stage.die(0).map(\.text) == ["launch", "unchanged"])
    try ready(stage.process(1).pidfd.raw, .readable, "the new one was not ended")
    #expect(!stage.supervisor.mayFreeze())
    #expect(stage.supervisor.launch().map(\.text) == ["launched", "store all"])
  }
}
