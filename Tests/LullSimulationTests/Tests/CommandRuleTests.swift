import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The rules about commands that sleep by themselves, each with a trace that keeps it and one that breaks it.
@Suite(.bounded) struct CommandRuleTests {
  let app = Stage.app

  @Test func `first-observation: a look too early after the start, a byte, a refusal and a keep-alive`() {
    let stage = Stage(FirstObservation())
    stage.command()
    #expect(stage.freeze(after: .milliseconds(999)).broken == "first-observation")
    let started = Stage(FirstObservation())
    started.sleepingCommand()
    started.step(.ready(app, Stage.line, .data), started.wake())
    #expect(started.freeze(after: .milliseconds(24)).broken == "first-observation")
    for (wait, broken) in [(699, "first-observation"), (700, nil)] as [(Int64, String?)] {
      let refused = Stage(FirstObservation())
      refused.sleepingCommand()
      refused.step(.ready(app, Stage.line, .data), refused.wake())
      refused.refuse(refused.freeze(after: .milliseconds(25)).ticket, retryAfter: .milliseconds(700))
      #expect(refused.freeze(after: .milliseconds(wait)).broken == broken)
    }
    let kept = Stage(FirstObservation())
    kept.sleepingCommand()
    kept.step(.tick, kept.wake(app, .keepalive, line: nil) + [.runKeepAlive(app, kept.newTicket())])
    #expect(kept.freeze(after: .milliseconds(999)).broken == "first-observation")
  }

  @Test func `first-observation: the operator's suspend comes before all of it`() {
    let stage = Stage(FirstObservation())
    stage.command()
    stage.refuse(stage.freeze(after: .seconds(1)).ticket, retryAfter: .seconds(30))
    let suspend = Engine.Request.transition(app, .suspend)
    let effects: [Effect] = [.freeze(app, stage.newTicket())]
    #expect(stage.step(suspend, .done, effects: effects) == nil)
  }

  @Test func `idle-sleeps: a command that nobody looks at again`() {
    let stage = Stage(IdleSleeps())
    stage.sleepingCommand()
    stage.step(.ready(app, Stage.line, .data), stage.wake())
    #expect(stage.step(.tick, after: .milliseconds(9999)) == nil)
    #expect(stage.step(.tick, after: .milliseconds(1)) == "idle-sleeps")
  }

  @Test(arguments: [LineReadiness.closed, .error])
  func `held-until-expiry: a freeze after the loss of a connection that it opened`(loss: LineReadiness) {
    for (origin, broken) in [(LineOrigin.opened, "held-until-expiry"), (.other, nil)]
      as [(LineOrigin, String?)]
    {
      let stage = Stage(HeldUntilExpiry())
      stage.sleepingCommand(origin)
      stage.step(.ready(app, Stage.line, loss), stage.wake(app, loss == .closed ? .closed : .error))
      #expect(stage.freeze(after: .milliseconds(59_999)).broken == broken)
    }
    let patient = Stage(HeldUntilExpiry())
    patient.sleepingCommand(.opened)
    patient.step(.ready(app, Stage.line, loss), patient.wake(app, loss == .closed ? .closed : .error))
    #expect(patient.freeze(after: .seconds(60)).broken == nil)
  }

  @Test func `held-until-expiry: a freeze that goes on after the loss, and one that the operator asks for`() {
    let frozen = Stage(HeldUntilExpiry())
    frozen.sleepingCommand(.opened)
    #expect(frozen.step(.lineLost(app, Stage.line)) == "held-until-expiry")
    let told = Stage(HeldUntilExpiry())
    told.sleepingCommand(.opened)
    #expect(told.step(.lineLost(app, Stage.line), told.wake(app, .closed)) == nil)
    let effects: [Effect] = [.freeze(app, told.newTicket())]
    #expect(told.step(.transition(app, .suspend), .done, effects: effects) == nil)
  }

  @Test func `held-until-expiry: a freeze of a command that was asked to end`() {
    for (wait, broken) in [(59_999, "held-until-expiry"), (60_000, nil)] as [(Int64, String?)] {
      let stage = Stage(HeldUntilExpiry())
      stage.sleepingCommand()
      stage.step(.ending(app), stage.wake(app, .operator, line: nil))
      #expect(stage.freeze(after: .milliseconds(wait)).broken == broken)
    }
  }

  @Test func `trials: none, a second one, and one for a command that was woken`() {
    let none = Stage(Trials())
    none.command()
    #expect(none.sleeps(none.freeze().ticket) == "trials")
    let second = Stage(Trials())
    second.command()
    #expect(second.tries(second.freeze().ticket) == nil)
    #expect(second.tries(second.freeze().ticket) == "trials")
    let woken = Stage(Trials())
    woken.command()
    woken.step(.transition(app, .wake), .done)
    #expect(woken.tries(woken.freeze().ticket) == "trials")
    let busy = Stage(Trials())
    busy.command()
    busy.refuse(busy.freeze().ticket, retryAfter: nil)
    #expect(busy.tries(busy.freeze().ticket) == "trials")
    let resumed = Stage(Trials())
    resumed.command { $0.resumes = .suspended }
    #expect(resumed.tries(resumed.freeze().ticket) == "trials")
  }

  @Test(arguments: [
    (ExitStatus.signaled(11), 200, true), (.exited(1), 0, true), (.exited(0), 0, false),
    (.unknown, 0, false), (.exited(1), 201, false),
  ])
  func `exempt-once: exactly one that ends badly right after its trial`(
    status: ExitStatus, wait: Int64, isFreezeExempt: Bool
  ) {
    let right: [Effect] = isFreezeExempt ? [.exempt(app), .forget(app)] : [.forget(app)]
    let wrong: [Effect] = isFreezeExempt ? [.forget(app)] : [.exempt(app), .forget(app)]
    for (effects, broken) in [(right, nil), (wrong, "exempt-once")] as [([Effect], String?)] {
      let stage = Stage(ExemptOnce())
      stage.command()
      stage.tries(stage.freeze().ticket)
      #expect(stage.step(.exited(app, status), effects, after: .milliseconds(wait)) == broken)
    }
  }

  @Test func `exempt-once: not one that somebody woke meanwhile`() {
    let stage = Stage(ExemptOnce())
    stage.command()
    stage.tries(stage.freeze().ticket)
    stage.step(.transition(app, .wake), .done)
    #expect(stage.step(.exited(app, .exited(1)), [.exempt(app), .forget(app)]) == "exempt-once")
  }

  @Test func `exempt-runs: a freeze of a command that is freeze-exempt`() {
    let stage = Stage(ExemptRuns())
    stage.command { $0.isFreezeExempt = true }
    #expect(stage.freeze(after: .seconds(1000)).broken == "exempt-runs")
  }

  @Test func `told-only: a freeze of a command without a mode that was not told`() {
    let stage = Stage(ToldOnly())
    stage.command { ($0.settings.modes, $0.launch) = ([], .foreground) }
    stage.step(.transition(app, .background), .done)
    #expect(stage.freeze().broken == nil)
    stage.step(.transition(app, .foreground), .done, effects: [.thaw(app)])
    #expect(stage.freeze().broken == "told-only")
  }

  @Test func `paths-kept: too early, too late, not at all, and while it runs`() {
    func stage() -> Stage {
      let stage = Stage(PathsKept())
      stage.sleepingCommand { $0.settings.udpKeepAlive = .seconds(25) }
      return stage
    }
    let keep = [Effect.keepPathsOpen(app)]
    let right = stage()
    #expect(right.step(.tick, keep, after: .seconds(25)) == nil)
    #expect(right.step(.tick, keep, after: .seconds(24)) == "paths-kept")
    #expect(stage().step(.tick, keep, after: .seconds(26)) == "paths-kept")
    #expect(stage().step(.tick, after: .seconds(25)) { $0.isComplete = true } == "paths-kept")
    let awake = stage()
    awake.step(.ready(app, Stage.line, .data), awake.wake())
    #expect(awake.step(.tick, keep, after: .seconds(25)) == "paths-kept")
  }

  @Test func `soft-leases: run time that is not shown, and run time that outlives the sleep`() {
    let stage = Stage(SoftLeases())
    stage.sleepingCommand()
    stage.step(.ready(app, Stage.line, .data), stage.wake())
    let lease = Snapshot.Hold(kind: .wake, ends: stage.now + .seconds(10))
    func broken(_ state: ApplicationState, _ leases: [Snapshot.Hold]) -> String? {
      stage.step(.tick) { $0.snapshots = [Snapshot(id: app, state: state, leases: leases)] }
    }
    #expect(broken(.background, [lease]) == nil)
    #expect(broken(.background, []) == "soft-leases")
    stage.sleeps(stage.freeze().ticket)
    #expect(broken(.suspended, []) == nil)
    #expect(broken(.suspended, [lease]) == "soft-leases")
  }

  @Test func `nothing-unseen: a process that ends while its parent sleeps`() {
    let stage = Stage(NothingUnseen())
    stage.sleepingCommand()
    #expect(stage.step(.childEnded(app), stage.wake(app, .child, line: nil)) == nil)
    stage.sleeps(stage.freeze().ticket)
    #expect(stage.step(.childEnded(app)) == "nothing-unseen")
  }
}

extension Stage {
  /// A command with the mode voip, in the background.
  func command(_ configure: (inout Registration) -> Void = { _ in }) {
    var registration = Registration(name: "command", modes: .voip)
    registration.speaks = false
    registration.launch = .background
    configure(&registration)
    step(
      .register(registration),
      .registered(Self.app, .background), effects: [.note(Self.app, .state(.background))])
  }

  /// A command with a line that is asleep after its trial.
  func sleepingCommand(
    _ origin: LineOrigin = .other, _ configure: (inout Registration) -> Void = { _ in }
  ) {
    command(configure)
    tries(freeze(after: .seconds(1)).ticket)
    let (_, ticket) = freeze(after: .seconds(1))
    step(.lineFound(Self.app, .voip, origin, ""), .line(Self.line))
    sleeps(ticket)
  }

  @discardableResult
  func freeze(after wait: Interval = .zero) -> (broken: String?, ticket: Ticket) {
    let ticket = newTicket()
    return (step(.tick, [.freeze(Self.app, ticket)], after: wait), ticket)
  }

  func refuse(_ ticket: Ticket, retryAfter: Interval?) {
    step(
      .freezeRefused(Self.app, ticket, .unanswered, retryAfter: retryAfter),
      [.thaw(Self.app), .note(Self.app, .freezeRefused(.unanswered))])
  }
}
