import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct LockRuleTests {
  private let app = Stage.app

  /// A sleeper; its locks are due after a second.
  private func sleeper() -> Stage {
    var policy = Stage.prompt
    policy.processes = ProcessPolicy()
    let stage = Stage(LocksLookedAt(), policy: policy)
    stage.sleeper()
    return stage
  }

  private func wakes(_ stage: Stage, _ reason: WakeReason, after wait: Interval = .zero) -> String? {
    stage.step(.tick, stage.wake(app, reason, line: nil), after: wait)
  }

  private func sleeps(_ stage: Stage) {
    let freeze = stage.newTicket()
    stage.step(.tick, [.freeze(app, freeze)])
    stage.sleeps(freeze)
  }

  private func looks(_ stage: Stage, after seconds: Int64) -> String? {
    stage.step(.tick, [.checkLocks(app)], after: .seconds(seconds))
  }

  @Test func `locks-looked-at: too early, twice, never, and while the program runs`() {
    #expect(looks(sleeper(), after: 0) == "locks-looked-at")
    let stage = sleeper()
    #expect(looks(stage, after: 1) == nil)
    #expect(looks(stage, after: 1) == "locks-looked-at")
    #expect(wakes(sleeper(), .data, after: .seconds(2)) == "locks-looked-at")
    let awake = sleeper()
    #expect(wakes(awake, .data) == nil)
    #expect(looks(awake, after: 1) == "locks-looked-at")
  }

  @Test func `locks-looked-at: a lock that was kept twice, and a wait that is not forgotten`() {
    let stage = sleeper()
    for wait in [1, 2] as [Int64] {
      #expect(looks(stage, after: wait) == nil)
      #expect(wakes(stage, .lock) == nil)
      sleeps(stage)
    }
    #expect(looks(stage, after: 4) == nil)
    #expect(wakes(stage, .data, after: .seconds(60)) == nil)
    sleeps(stage)
    #expect(looks(stage, after: 4) == "locks-looked-at")
  }

  @Test func `locks-looked-at: a wake before the look forgets nothing`() {
    let stage = sleeper()
    #expect(looks(stage, after: 1) == nil)
    #expect(wakes(stage, .lock) == nil)
    sleeps(stage)
    #expect(wakes(stage, .data, after: .seconds(1)) == nil)
    sleeps(stage)
    #expect(looks(stage, after: 1) == "locks-looked-at")
  }

  @Test func `locks-looked-at: the machine was suspended`() {
    let stage = sleeper()
    stage.step(.stoodStill(.seconds(60)))
    #expect(looks(stage, after: 61) == nil)
  }
}
