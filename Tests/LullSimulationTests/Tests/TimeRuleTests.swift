import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct TimeRuleTests {
  let app = Stage.app

  private func keepAlive(_ stage: Stage, _ app: AppID = Stage.app) -> [Effect] {
    [.runKeepAlive(app, stage.newTicket())]
  }

  @Test func `keepalive-gaps: two runs less than 600 s apart, reinstalled in between`() {
    let stage = Stage(KeepAliveGaps())
    _ = stage.background()
    stage.install(.seconds(600))
    #expect(stage.step(.tick, keepAlive(stage), after: .seconds(600)) == nil)
    stage.step(.keepAlive(app, nil, lastRun: nil), .done)
    stage.install(.seconds(600))
    #expect(stage.step(.tick, keepAlive(stage), after: .seconds(599)) == "keepalive-gaps")
  }

  @Test func `keepalive-gaps: a run that is late, and one that does not come`() {
    let stage = Stage(KeepAliveGaps(), lateness: .seconds(1))
    _ = stage.background()
    stage.install(.seconds(600))
    #expect(stage.step(.tick, keepAlive(stage), after: .seconds(602)) == "keepalive-gaps")
    let other = Stage(KeepAliveGaps())
    _ = other.background()
    other.install(.seconds(600))
    #expect(other.step(.tick, after: .seconds(599)) == nil)
    #expect(other.step(.tick, after: .seconds(1)) == "keepalive-gaps")
  }

  @Test func `keepalive-gaps: a first run before its time without another that must`() {
    let stage = Stage(KeepAliveGaps())
    _ = stage.background()
    stage.install(.seconds(600))
    #expect(stage.step(.tick, keepAlive(stage), after: .seconds(599)) == "keepalive-gaps")
  }

  @Test func `keepalive-gaps: a sleeping program woken before its time`() {
    let stage = Stage(KeepAliveGaps())
    stage.sleeper()
    stage.install(.seconds(1200))
    stage.step(.tick, keepAlive(stage), after: .seconds(1200))
    let wake = stage.wake(app, .keepalive, line: nil) + keepAlive(stage)
    #expect(stage.step(.tick, wake, after: .seconds(1000)) == "keepalive-gaps")
  }

  @Test func `shared-wakes: an open window that is passed over`() {
    for isShared in [true, false] {
      let stage = Stage(SharedWakes())
      _ = stage.background()
      _ = stage.background(Stage.other)
      stage.install(.seconds(600))
      stage.install(.seconds(900), Stage.other)
      let runs = keepAlive(stage) + (isShared ? keepAlive(stage, Stage.other) : [])
      #expect(stage.step(.tick, runs, after: .seconds(600)) == (isShared ? nil : "shared-wakes"))
    }
  }

  @Test func `tasks-expire: a handler too early, twice and not at all`() {
    let expire = [Effect.expire(app, Stage.task)]
    let early = Stage(TasksExpire())
    _ = early.background()
    early.begin()
    #expect(early.step(.tick, expire, after: .seconds(594)) == "tasks-expire")

    let twice = Stage(TasksExpire())
    _ = twice.background()
    twice.begin()
    #expect(twice.step(.tick, expire, after: .seconds(595)) == nil)
    #expect(twice.step(.tick, expire) == "tasks-expire")

    let never = Stage(TasksExpire())
    _ = never.background()
    never.begin()
    #expect(never.step(.tick, after: .seconds(595)) == "tasks-expire")
  }

  @Test func `kill-cause: a kill before the limit, and a limit that does not kill`() {
    let expire = [Effect.expire(app, Stage.task)], kill = [Effect.kill(app, .taskLimit)]
    let early = Stage(KillCause())
    _ = early.background()
    early.begin()
    early.step(.tick, expire, after: .seconds(595))
    #expect(early.step(.tick, kill, after: .seconds(4)) == "kill-cause")

    let unannounced = Stage(KillCause())
    _ = unannounced.background()
    unannounced.begin()
    #expect(unannounced.step(.tick, expire + kill, after: .seconds(700)) == "kill-cause")

    let right = Stage(KillCause())
    _ = right.background()
    right.begin()
    right.step(.tick, expire, after: .seconds(595))
    #expect(right.step(.tick, kill, after: .seconds(5)) == nil)

    let never = Stage(KillCause())
    _ = never.background()
    never.begin()
    never.step(.tick, expire, after: .seconds(595))
    #expect(never.step(.tick, after: .seconds(5)) == "kill-cause")
  }

  @Test func `kill-cause: a traced program is killed, and a program that is traced no longer is not`() {
    func broken(_ events: [Event], _ effects: [Effect] = []) -> String? {
      let stage = Stage(KillCause())
      let woke = stage.background()
      stage.step(.done(app, woke), [.deliver(app, .didEnterBackground, stage.newTicket())])
      stage.step(.traced(app), after: .seconds(6))
      for event in events.dropLast() { stage.step(event, after: .seconds(5)) }
      return stage.step(events.last ?? .tick, effects, after: events.isEmpty ? .zero : .seconds(5))
    }
    let kill = [Effect.kill(app, .backgroundLimit)]
    #expect(broken([]) == nil)
    #expect(broken([], kill) == "kill-cause")
    #expect(broken([.tick]) == "kill-cause")
    #expect(broken([.tick], kill) == nil)
    #expect(broken([.traced(app), .tick], kill) == nil)
  }

  @Test(arguments: KillReason.allCases)
  func `kill-cause: a kill out of the blue`(reason: KillReason) {
    let stage = Stage(KillCause())
    _ = stage.background()
    #expect(stage.step(.tick, [.kill(app, reason)]) == "kill-cause")
  }

  @Test func `kill-cause: a hanging message that does not kill`() {
    let stage = Stage(KillCause())
    let woke = stage.background()
    stage.step(.done(app, woke), [.deliver(app, .didEnterBackground, stage.newTicket())])
    #expect(stage.step(.tick, after: .milliseconds(4999)) == nil)
    #expect(stage.step(.tick, after: .milliseconds(1)) == "kill-cause")
  }

  @Test func `quiet-kill: a sleeping program is told before it is killed`() {
    let quit = Engine.Request.transition(app, .quit)
    let done = Engine.Answer.done
    let right = Stage(QuietKill())
    right.sleeper()
    #expect(right.step(quit, done, effects: [.kill(app, .quit)]) == nil)
    let told = Stage(QuietKill())
    told.sleeper()
    let message: [Effect] = [.thaw(app), .deliver(app, .willTerminate, told.newTicket())]
    #expect(told.step(quit, done, effects: message) == "quiet-kill")
    let exempt = Stage(QuietKill())
    exempt.sleeper()
    #expect(exempt.step(quit, done) == "quiet-kill")
  }

  @Test func `quit-ends: a sleeping command is not told, or frozen again, or outlives its time`() {
    let quit = Engine.Request.transition(app, .quit)
    let done = Engine.Answer.done
    let told: [Effect] = [.thaw(app), .terminate(app)]
    let right = Stage(QuitEnds())
    right.sleepingCommand()
    #expect(right.step(quit, done, effects: told) == nil)
    #expect(right.step(.tick, after: .milliseconds(4999)) == nil)
    #expect(right.step(.tick, after: .milliseconds(1)) == "quit-ends")
    let killed = Stage(QuitEnds())
    killed.sleepingCommand()
    #expect(killed.step(quit, done, effects: [.kill(app, .quit)]) == "quit-ends")
    let frozen = Stage(QuitEnds())
    frozen.sleepingCommand()
    #expect(frozen.step(quit, done, effects: told) == nil)
    #expect(frozen.step(.tick, [.freeze(app, frozen.newTicket())]) == "quit-ends")
  }

  @Test func `lease-times: a lease that ends at another time`() {
    let stage = Stage(LeaseTimes())
    _ = stage.background()
    for (seconds, broken) in [(10, nil), (60, "lease-times")] as [(Int64, String?)] {
      let lease = Snapshot.Hold(kind: .wake, ends: Moment(nanoseconds: 0) + .seconds(seconds))
      let seen = Snapshot(id: app, state: .background, leases: [lease])
      #expect(stage.step(.tick) { $0.snapshots = [seen] } == broken)
    }
    #expect(stage.step(.tick) { $0.snapshots = [Snapshot(id: app, state: .background)] } == "lease-times")
  }

  @Test func `deadline-holds: a deadline in the past, and one that is too late`() {
    let stage = Stage(DeadlineHolds())
    _ = stage.background()
    let seen = Snapshot(id: app, state: .background)
    func broken(by deadline: Interval?) -> String? {
      stage.step(.tick) { step in
        step.snapshots = [seen]
        step.deadline = deadline.map { stage.now + $0 }
      }
    }
    #expect(broken(by: .seconds(10)) == nil)
    #expect(broken(by: .zero) == "deadline-holds")
    #expect(broken(by: .seconds(11)) == "deadline-holds")
    #expect(broken(by: nil) == "deadline-holds")
  }

  @Test func `deadline-holds: an alarm before the deadline, and one that is too late`() {
    let stage = Stage(DeadlineHolds())
    _ = stage.background()
    stage.install(.seconds(600))
    let seen = Snapshot(id: app, state: .background)
    func broken(by alarm: Interval?) -> String? {
      stage.step(.tick) { step in
        step.snapshots = [seen]
        (step.deadline, step.alarm) = (stage.now + .seconds(10), alarm.map { stage.now + $0 })
      }
    }
    #expect(broken(by: .seconds(600)) == nil)
    #expect(broken(by: .seconds(9)) == "deadline-holds")
    #expect(broken(by: .seconds(601)) == "deadline-holds")
    #expect(broken(by: nil) == "deadline-holds")
  }

  @Test func `resumes-for-cause: a suspended machine is resumed for nothing, and for what waits`() {
    let timers = [Effect.note(app, .woke(.timer, nil))]
    func broken(by effects: [Effect], modes: Modes = .voip) -> String? {
      let stage = Stage(ResumesForCause())
      stage.sleepingCommand { $0.settings.modes = modes }
      return stage.step(.tick, effects, after: .seconds(900)) { $0.isResumed = true }
    }
    #expect(broken(by: []) == "resumes-for-cause")
    #expect(broken(by: [.freeze(app, Ticket(90))]) == "resumes-for-cause")
    #expect(broken(by: [.compact(app, Ticket(90))]) == "resumes-for-cause")
    #expect(broken(by: timers, modes: .audio) == "resumes-for-cause")
    #expect(broken(by: timers) == nil)
    #expect(broken(by: [.checkSignals(app)], modes: .audio) == "resumes-for-cause")
    #expect(broken(by: [.note(nil, .keepAliveDue(name: "phone"))]) == nil)
  }

  @Test func `resumes-for-cause: a keep-alive, and paths that are kept open`() {
    func broken(after time: Interval, _ change: (inout Registration) -> Void = { _ in }) -> String? {
      let stage = Stage(ResumesForCause())
      stage.sleepingCommand(.other, change)
      stage.step(.keepAlive(app, .seconds(600), lastRun: nil), .done)
      return stage.step(.tick, after: time) { $0.isResumed = true }
    }
    #expect(broken(after: .seconds(599)) == "resumes-for-cause")
    #expect(broken(after: .seconds(600)) == nil)
    #expect(broken(after: .seconds(300)) { $0.settings.udpKeepAlive = .seconds(300) } == nil)
  }

  @Test func `resumes-for-cause: a wake that was asked for`() {
    let stage = Stage(ResumesForCause())
    _ = stage.background()
    stage.step(.wakeIn(app, .seconds(60)), .done)
    #expect(stage.step(.tick, after: .seconds(59)) { $0.isResumed = true } == "resumes-for-cause")
    #expect(stage.step(.tick, after: .seconds(1)) { $0.isResumed = true } == nil)
  }
}
