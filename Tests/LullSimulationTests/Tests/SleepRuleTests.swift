import LullEngine
import TestSupport
import Testing

/// Every rule is shown a trace that keeps it and one that breaks it.
@Suite(.bounded) struct SleepRuleTests {
  let app = Stage.app

  @Test func `nothing-unseen: a line that is ready and no thaw`() {
    let stage = Stage(NothingUnseen())
    stage.sleeper()
    #expect(stage.step(.ready(app, Stage.line, .data), stage.wake()) == nil)
    stage.sleeper(Stage.other)
    let line = LineID(Stage.line.number + 1)
    #expect(stage.step(.ready(Stage.other, line, .data)) == "nothing-unseen")
  }

  @Test func `nothing-unseen: a program that is told another reason, or none`() {
    let stage = Stage(NothingUnseen())
    stage.sleeper()
    #expect(stage.step(.ready(app, Stage.line, .closed), stage.wake(app, .data)) == "nothing-unseen")
    let silent = Stage(NothingUnseen())
    silent.sleeper()
    #expect(silent.step(.ready(app, Stage.line, .data), [.thaw(app)]) == "nothing-unseen")
  }

  @Test func `nothing-unseen: bytes that nobody reports`() {
    let stage = Stage(NothingUnseen())
    stage.sleeper()
    let starving = Starving(app: app, since: stage.now, patience: .seconds(1))
    #expect(stage.step(.tick, after: .seconds(1)) { $0.starving = [starving] } == nil)
    #expect(stage.step(.tick, after: .seconds(1)) { $0.starving = [starving] } == "nothing-unseen")
  }

  @Test func `nothing-unseen: a wake put off without being over the budget`() {
    let stage = Stage(NothingUnseen())
    stage.sleeper(batch: .seconds(30))
    let delay = [Effect.note(app, .wakeDelayed(Stage.line, .seconds(30)))]
    #expect(stage.step(.ready(app, Stage.line, .data), delay) == "nothing-unseen")
  }

  @Test func `nothing-unseen: a wake put off for ever`() {
    var policy = Policy()
    policy.wakeBudget = 0
    let stage = Stage(NothingUnseen(), policy: policy)
    stage.sleeper(batch: .seconds(30))
    stage.step(.ready(app, Stage.line, .data), stage.wake())
    let freeze = stage.newTicket()
    stage.step(.done(app, Ticket(.max)), [.freeze(app, freeze)])
    stage.sleeps(freeze)
    let delay = [Effect.note(app, .wakeDelayed(Stage.line, .seconds(30)))]
    #expect(stage.step(.ready(app, Stage.line, .data), delay) == nil)
    #expect(stage.step(.tick, after: .seconds(29)) == nil)
    #expect(stage.step(.tick, after: .seconds(1)) == "nothing-unseen")
  }

  @Test func `freeze-only-idle: a freeze in the run time after a wake`() {
    let stage = Stage(FreezeOnlyIdle())
    _ = stage.background()
    #expect(stage.step(.tick, [.freeze(app, stage.newTicket())], after: .seconds(9)) == "freeze-only-idle")
    let ended = Stage(FreezeOnlyIdle())
    _ = ended.background()
    #expect(ended.step(.tick, [.freeze(app, ended.newTicket())], after: .seconds(10)) == nil)
  }

  @Test func `freeze-only-idle: a freeze with an open task`() {
    let stage = Stage(FreezeOnlyIdle())
    let woke = stage.background()
    stage.begin()
    #expect(stage.step(.done(app, woke), [.freeze(app, stage.newTicket())]) == "freeze-only-idle")
  }

  @Test func `freeze-only-idle: a freeze in the keep-alive's time`() {
    let stage = Stage(FreezeOnlyIdle())
    let woke = stage.background()
    stage.step(.tick, [.runKeepAlive(app, stage.newTicket())])
    #expect(stage.step(.done(app, woke), [.freeze(app, stage.newTicket())]) == "freeze-only-idle")
  }

  @Test func `freeze-only-idle: a freeze in the foreground`() {
    let stage = Stage(FreezeOnlyIdle())
    stage.active()
    #expect(stage.step(.tick, [.freeze(app, stage.newTicket())]) == "freeze-only-idle")
  }

  @Test func `freeze-only-idle: a freeze before a message returned`() {
    let stage = Stage(FreezeOnlyIdle())
    let woke = stage.background()
    stage.step(.done(app, woke), [.deliver(app, .didEnterBackground, stage.newTicket())])
    #expect(stage.step(.tick, [.freeze(app, stage.newTicket())]) == "freeze-only-idle")
  }

  @Test func `freeze-only-idle: a second try without a wait`() {
    let stage = Stage(FreezeOnlyIdle())
    let woke = stage.background()
    let ticket = stage.newTicket()
    stage.step(.done(app, woke), [.freeze(app, ticket)])
    let effects: [Effect] = [
      .thaw(app), .note(app, .freezeRefused(.failed)), .freeze(app, stage.newTicket()),
    ]
    #expect(stage.step(.freezeRefused(app, ticket, .failed), effects) == "freeze-only-idle")
  }

  @Test func `freeze-only-idle: a freeze before a program can have come from its done to its wait`() {
    let policy = Policy()
    let stage = Stage(FreezeOnlyIdle(), IdleSleeps(), policy: policy)
    let woke = stage.background()
    #expect(stage.step(.done(app, woke), [.freeze(app, stage.newTicket())]) == "freeze-only-idle")
    let right = Stage(FreezeOnlyIdle(), IdleSleeps(), policy: policy)
    #expect(right.step(.done(app, right.background())) == nil)
    #expect(right.step(.tick, [.freeze(app, right.newTicket())], after: policy.settlingTime) == nil)
    let late = Stage(FreezeOnlyIdle(), IdleSleeps(), policy: policy)
    #expect(late.step(.done(app, late.background())) == nil)
    #expect(late.step(.tick, after: policy.settlingTime) == "idle-sleeps")
  }

  @Test func `idle-sleeps: an idle program that stays awake`() {
    let stage = Stage(IdleSleeps())
    _ = stage.background()
    #expect(stage.step(.tick, after: .seconds(9)) == nil)
    #expect(stage.step(.tick, after: .seconds(1)) == "idle-sleeps")
  }

  @Test func `freeze-settled: a refused freeze that is not undone`() {
    let stage = Stage(FreezeSettled())
    let woke = stage.background()
    let ticket = stage.newTicket()
    stage.step(.done(app, woke), [.freeze(app, ticket)])
    #expect(stage.step(.freezeRefused(app, ticket, .failed)) == "freeze-settled")
  }

  @Test func `freeze-settled: a freeze that is pending for ever`() {
    let stage = Stage(FreezeSettled())
    let woke = stage.background()
    stage.step(.done(app, woke), [.freeze(app, stage.newTicket())])
    #expect(stage.step(.tick, after: .milliseconds(1999)) == nil)
    #expect(stage.step(.tick, after: .milliseconds(1)) == "freeze-settled")
  }

  @Test func `freeze-settled: a frozen program is let go`() {
    let stage = Stage(FreezeSettled())
    stage.sleeper()
    #expect(stage.step(.leave(app), [.forget(app)]) == "freeze-settled")
  }

  @Test func `speakers-run: a request that a freeze overtook`() {
    let remaining = Engine.Request.remaining(app)
    let answer = Engine.Answer.remaining(nil, forTasks: nil)
    let right = Stage(SpeakersRun())
    right.sleeper()
    #expect(right.step(remaining, answer, effects: [.thaw(app)]) == nil)
    #expect(right.step(remaining, answer) == nil)
    let wrong = Stage(SpeakersRun())
    wrong.sleeper()
    #expect(wrong.step(remaining, answer) == "speakers-run")
  }

  @Test func `thaw-first: a message to a frozen program`() {
    let stage = Stage(ThawFirst())
    stage.sleeper()
    let effects = stage.wake()
    #expect(stage.step(.ready(app, Stage.line, .data), Array(effects.reversed())) == "thaw-first")
  }

  @Test func `offload-limit: a ping answered beyond the limit`() {
    let stage = Stage(OffloadLimit())
    stage.sleeper()
    let answer = [Effect.answerPing(app, Stage.line)]
    #expect(stage.step(.ready(app, Stage.line, .ping), answer, after: .seconds(599)) == nil)
    #expect(stage.step(.ready(app, Stage.line, .ping), answer, after: .seconds(1)) == "offload-limit")
  }

  @Test func `offload-limit: a wake for a ping that could be answered`() {
    let stage = Stage(OffloadLimit())
    stage.sleeper()
    #expect(stage.step(.ready(app, Stage.line, .ping), stage.wake()) == "offload-limit")
  }

  @Test func `offload-limit: a ping answered for a program that did not say done`() {
    let stage = Stage(OffloadLimit())
    _ = stage.background()
    let freeze = stage.newTicket()
    stage.step(
      .tick, [.note(app, .leaseEnded(.wake, overrun: true)), .freeze(app, freeze)], after: .seconds(10))
    stage.sleeps(freeze)
    let answer = [Effect.answerPing(app, Stage.line)]
    #expect(stage.step(.ready(app, Stage.line, .ping), answer) == "offload-limit")
  }

  @Test func `wake-budget: a crossing that is not reported, and one that was none`() {
    var policy = Policy()
    policy.wakeBudget = 1
    let stage = Stage(WakeBudget(), policy: policy)
    stage.sleeper()
    let over = Effect.note(app, .overBudget(wakes: 2))
    #expect(stage.step(.ready(app, Stage.line, .data), stage.wake() + [over]) == "wake-budget")
    let freeze = stage.newTicket()
    stage.step(.done(app, Ticket(.max)), [.freeze(app, freeze)])
    stage.sleeps(freeze)
    #expect(stage.step(.ready(app, Stage.line, .data), stage.wake()) == "wake-budget")
  }
}
