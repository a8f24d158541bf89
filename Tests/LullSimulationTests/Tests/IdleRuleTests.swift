import LullEngine
import TestSupport
import Testing

/// The rules about the wake sources of a command and about its own timers, each with a trace that keeps it
/// and one that breaks it.
@Suite(.bounded) struct IdleRuleTests {
  let app = Stage.app

  @Test(arguments: [
    "conditions-false", "wakeable-only", "watchable-only", "queries-repeated", "answers-in-time",
  ])
  func `a sleep that the kernel's own account forbids`(name: String) throws {
    for isBroken in [false, true] {
      let rule = try #require((Referee.allRules + [AnswersInTime()]).first { type(of: $0).name == name })
      let stage = Stage(rule)
      stage.command()
      stage.tries(stage.freeze(after: .seconds(1)).ticket)
      var kernel = KernelView(app: app)
      kernel.canWake = true
      kernel.hasAnswered = true
      if isBroken { kernel.change(name) }
      let broken = stage.sleeps(stage.freeze(after: .seconds(1)).ticket) { $0.kernel = kernel }
      #expect(broken == (isBroken ? name : nil))
      #expect(rule.sightings == 1)
    }
  }

  @Test(arguments: [Modes.voip, [.voip, .audio], .audio])
  func `wakeable-only: what is run for its sound alone sleeps with nothing outside`(modes: Modes) {
    let stage = Stage(WakeableOnly())
    stage.command { $0.settings.modes = modes }
    stage.tries(stage.freeze(after: .seconds(1)).ticket)
    let broken = stage.sleeps(stage.freeze(after: .seconds(1)).ticket) { $0.kernel = KernelView(app: app) }
    #expect(broken == (modes == .audio ? nil : "wakeable-only"))
  }

  @Test(arguments: [false, true])
  func `calls-go-on: a freeze in the middle of a call, also of a program that was told to sleep`(
    isTold: Bool
  ) {
    for isBroken in [false, true] {
      let rule = CallsGoOn()
      let stage = Stage(rule)
      stage.command { if isTold { $0.settings.modes = [] } }
      let ticket = stage.freeze(after: .seconds(1)).ticket
      let refused: [Effect] = [.thaw(app), .note(app, .freezeRefused(.notIdle))]
      let broken = stage.step(.looked(app, ticket, Look()), isBroken ? [] : refused) {
        $0.activity = ActivityView(app: Stage.app, isInCall: true)
      }
      #expect(broken == (isBroken ? "calls-go-on" : nil))
      #expect(rule.sightings == 1)
    }
  }

  @Test func `work-keeps-awake: frozen after a window of work`() {
    for (milliseconds, sightings) in [(199, 0), (200, 1)] as [(Int64, Int)] {
      for isBroken in [false, true] {
        let rule = WorkKeepsAwake()
        let stage = Stage(rule)
        stage.command()
        let refused: [Effect] = [.thaw(app), .note(app, .freezeRefused(.notIdle))]
        func look(after wait: Interval, _ effects: [Effect]) -> String? {
          stage.step(.looked(app, stage.freeze(after: wait).ticket, Look()), effects) {
            $0.activity = ActivityView(app: Stage.app, worksSince: Moment(nanoseconds: 0))
          }
        }
        #expect(look(after: .seconds(1), refused) == nil)
        let broken = look(after: .milliseconds(milliseconds), isBroken ? [] : refused)
        #expect(broken == (isBroken && sightings > 0 ? "work-keeps-awake" : nil))
        #expect(rule.sightings == sightings)
      }
    }
  }

  @Test func `nothing-keeps-awake: a look that finds nothing, again and again`() {
    for (seconds, broken) in [(179, nil), (181, "nothing-keeps-awake")] as [(Int64, String?)] {
      let stage = Stage(NothingKeepsAwake())
      stage.command()
      var kernel = KernelView(app: app)
      kernel.canWake = true
      func observe(after wait: Interval) -> String? {
        let ticket = stage.freeze(after: wait).ticket
        let refused: [Effect] = [.thaw(app), .note(app, .freezeRefused(.unread))]
        return stage.step(.observed(app, ticket, Observation()), refused) { $0.looked = kernel }
      }
      #expect(observe(after: .seconds(1)) == nil)
      #expect(observe(after: .seconds(seconds)) == broken)
      kernel.holds = Stage.line
      #expect(observe(after: .seconds(1000)) == nil)
    }
  }

  @Test func `unread-rests: frozen again and again for the same bytes`() {
    for (most, broken) in [(10, nil), (11, "unread-rests")] as [(Int, String?)] {
      let stage = Stage(UnreadRests())
      var woke = stage.background()
      var last: String?
      for _ in 1...most {
        stage.step(.done(app, woke), [.freeze(app, stage.newTicket())])
        woke = stage.newTicket()
        let wake = Wake(reason: .data, line: Stage.line, moment: stage.now)
        let effects: [Effect] = [.thaw(app), .note(app, .freezeTakenBack(.data)), .woke(app, wake, woke)]
        last = stage.step(.ready(app, Stage.line, .data), effects, after: .milliseconds(90))
      }
      #expect(last == broken)
    }
  }

  @Test func `cut-offs-run-out: asleep again before the time-out has run out, after it, with another one`() {
    for (seconds, next, broken) in [(19, 20, "cut-offs-run-out"), (20, 20, nil), (1, 19, nil)]
      as [(Int64, Int64, String?)]
    {
      let stage = Stage(CutOffsRunOut())
      stage.command()
      stage.tries(stage.freeze(after: .seconds(1)).ticket)
      let ticket = stage.freeze(after: .seconds(1)).ticket
      stage.sleeps(ticket, Self.cutOff(.seconds(20)))
      stage.step(.tick, wake(stage), after: .seconds(598))
      let again = stage.freeze(after: .seconds(seconds)).ticket
      let observed = Event.observed(app, again, Self.cutOff(.seconds(next)))
      #expect(stage.step(observed, [.watch(app, again, WatchPlan())]) == broken)
    }
  }

  private static func cutOff(_ time: Interval) -> Observation {
    var observation = Observation()
    observation.threads = [ObservedThread(process: 1, thread: 1, wait: .sources, timeOut: time)]
    observation.threads[0].course = .beginsAnew
    return observation
  }

  /// A program that is asleep at 2 s with a timer that is due at 22 s.
  private func sleeper(_ timers: TimerRule = .automatic) -> Stage { sleeper(OwnTimersRun(), timers) }

  private func sleeper(_ rule: any Rule, _ timers: TimerRule = .automatic) -> Stage {
    let stage = Stage(rule)
    stage.command { $0.settings.timers = timers }
    stage.tries(stage.freeze(after: .seconds(1)).ticket)
    fallAsleep(stage)
    return stage
  }

  private func fallAsleep(_ stage: Stage) {
    let ticket = stage.freeze(after: .seconds(1)).ticket
    var observation = Observation()
    observation.threads = [
      ObservedThread(process: 1, thread: 1, wait: .sources, timeOut: .seconds(20)),
      ObservedThread(process: 1, thread: 2, wait: .sources, timeOut: .milliseconds(999)),
    ]
    observation.threads[0].course = .standsStill
    stage.sleeps(ticket, observation)
  }

  private func wake(_ stage: Stage) -> [Effect] { stage.wake(app, .timer, line: nil) }

  @Test func `own-timers-run: too early, too late and not at all`() {
    for (seconds, broken) in [(597, "own-timers-run"), (598, nil)] as [(Int64, String?)] {
      let stage = sleeper()
      #expect(stage.step(.tick, wake(stage), after: .seconds(seconds)) == broken)
    }
    let missed = sleeper()
    #expect(
      missed.step(.tick, after: .seconds(598)) { $0.snapshots = [Snapshot(id: app)] } == "own-timers-run")
    let late = sleeper()
    let deadline = late.now + .seconds(599)
    let broken = late.step(.tick) { ($0.snapshots, $0.deadline) = ([Snapshot(id: app)], deadline) }
    #expect(broken == "own-timers-run")
  }

  @Test func `own-timers-run: a floor of its own, and never`() {
    for (seconds, broken) in [(27, "own-timers-run"), (28, nil)] as [(Int64, String?)] {
      let stage = sleeper(.floor(.seconds(30)))
      #expect(stage.step(.tick, wake(stage), after: .seconds(seconds)) == broken)
    }
    let early = sleeper(.floor(.seconds(5)))
    #expect(early.step(.tick, wake(early), after: .seconds(4)) == "own-timers-run")
    let never = sleeper(.never)
    let asleep = never.step(.tick, after: .seconds(6000)) { $0.snapshots = [Snapshot(id: app)] }
    #expect(asleep == nil)
    #expect(never.step(.tick, wake(never)) == "own-timers-run")
  }

  @Test func `own-timers-run: with another that must, from three quarters of the floor on`() {
    for (seconds, broken) in [(447, "own-timers-run"), (448, nil)] as [(Int64, String?)] {
      let stage = sleeper()
      let together = [.runKeepAlive(Stage.other, stage.newTicket())] + wake(stage)
      #expect(stage.step(.tick, together, after: .seconds(seconds)) == broken)
    }
  }

  @Test func `alarms-heard: slept over, looked at twice, and while it runs`() {
    let look = [Effect.checkSignals(app)]
    for (seconds, broken) in [(600, nil), (601, "alarms-heard")] as [(Int64, String?)] {
      let stage = sleeper(AlarmsHeard())
      let since = stage.now
      let asleep = stage.step(.tick, after: .seconds(seconds)) {
        $0.rung = [Starving(app: app, since: since, patience: .zero)]
      }
      #expect(asleep == broken)
    }
    let twice = sleeper(AlarmsHeard())
    #expect(twice.step(.tick, look, after: .seconds(5)) == nil)
    #expect(twice.step(.tick, look, after: .milliseconds(999)) == "alarms-heard")
    let awake = Stage(AlarmsHeard())
    awake.command { _ in }
    #expect(awake.step(.tick, look) == "alarms-heard")
  }

  @Test func `standing-timers-end: asleep again before the time-out has run out`() {
    for (seconds, broken) in [(19, "standing-timers-end"), (20, nil)] as [(Int64, String?)] {
      let stage = sleeper(StandingTimersEnd())
      stage.step(.tick, wake(stage), after: .seconds(598))
      #expect(stage.step(.tick, [.freeze(app, stage.newTicket())], after: .seconds(seconds)) == broken)
      let told = sleeper(StandingTimersEnd())
      told.step(.tick, wake(told), after: .seconds(598))
      let suspended: [Effect] = [.freeze(app, told.newTicket())]
      #expect(
        told.step(.transition(app, .suspend), .done, effects: suspended, after: .seconds(seconds)) == nil)
    }
  }

  @Test func `own-timers-run: a floor that is lowered too far, or was asked for`() {
    func overdue(_ seconds: Int64) -> [Effect] {
      [.note(app, .timerOverdue(.seconds(1), floor: .seconds(seconds)))]
    }
    for (seconds, broken) in [(15, nil), (14, "own-timers-run"), (601, "own-timers-run")]
      as [(Int64, String?)]
    {
      #expect(sleeper().step(.ready(app, Stage.line, .closed), overdue(seconds)) == broken)
    }
    let asked = sleeper(.floor(.seconds(60)))
    #expect(asked.step(.ready(app, Stage.line, .closed), overdue(30)) == "own-timers-run")
  }
}

extension KernelView {
  /// Changes the observation so that it breaks this rule.
  fileprivate mutating func change(_ rule: String) {
    switch rule {
    case "conditions-false": holds = Stage.line
    case "wakeable-only": canWake = false
    case "watchable-only": isWatchable = false
    case "answers-in-time": unanswered = Stage.line
    default: query = Stage.line
    }
  }
}
