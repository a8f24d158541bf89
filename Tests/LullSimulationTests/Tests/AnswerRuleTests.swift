import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct AnswerRuleTests {
  let app = Stage.app
  let name = "program 0"

  @Test func `message-order: a message out of its order`() {
    let stage = Stage(MessageOrder())
    stage.active()
    let enter: [Effect] = [
      .note(app, .state(.background)), .deliver(app, .didEnterBackground, stage.newTicket()),
    ]
    #expect(stage.step(.tick, enter) == "message-order")
  }

  @Test func `message-order: a message in the wrong state`() {
    let stage = Stage(MessageOrder())
    stage.active()
    let late: [Effect] = [
      .note(app, .state(.inactive)), .deliver(app, .willResignActive, stage.newTicket()),
    ]
    #expect(stage.step(.tick, late) == "message-order")
  }

  @Test func `message-order: two messages at once`() {
    let stage = Stage(MessageOrder())
    stage.active()
    let both: [Effect] = [
      .deliver(app, .willResignActive, stage.newTicket()),
      .note(app, .state(.background)), .deliver(app, .didEnterBackground, stage.newTicket()),
    ]
    #expect(stage.step(.tick, both) == "message-order")
  }

  @Test func `message-order: a message of the lock without a lock`() {
    let stage = Stage(MessageOrder())
    _ = stage.background()
    let closes: [Effect] = [.deliver(app, .protectedDataWillBecomeUnavailable, stage.newTicket())]
    #expect(stage.step(.tick, closes) == "message-order")
  }

  @Test func `lock-obeyed: active behind the lock`() {
    let stage = Stage(LockObeyed())
    stage.active()
    #expect(stage.step(.surrounding(.lock(true))) == "lock-obeyed")
  }

  @Test func `changes-told: a change that is not told, told twice, or that was none`() {
    func stage() -> Stage {
      let stage = Stage(ChangesTold())
      stage.active()
      return stage
    }
    let network: [Effect] = [.changed(app, SurroundingNews(.network))]
    #expect(stage().step(.surrounding(.network)) == "changes-told")
    #expect(stage().step(.surrounding(.network), network) == nil)
    #expect(stage().step(.surrounding(.network), network + network) == "changes-told")
    #expect(stage().step(.tick, network) == "changes-told")
  }

  @Test func `changes-told: a program that is woken and put to sleep in one step`() {
    func step(_ stage: Stage, _ change: Surrounding) -> String? {
      stage.step(.surrounding(change))
      return stage.step(.tick, stage.wake() + [.freeze(app, stage.newTicket())])
    }
    let stage = Stage(ChangesTold())
    stage.sleeper()
    // The first zone is no change, and the program knows it from then on.
    #expect(step(stage, .zone("UTC")) == nil)
    stage.step(.surrounding(.zone("CET")))
    #expect(stage.step(.tick, [.thaw(app), .changed(app, SurroundingNews(.zone))]) == nil)
    let untold = Stage(ChangesTold())
    untold.sleeper()
    #expect(step(untold, .network) == "changes-told")
  }

  @Test func `answers-fit: a refusal without cause, and the wrong one`() {
    let stage = Stage(AnswersFit())
    _ = stage.background()
    func broken(_ timeout: Interval, _ answer: Engine.Answer) -> String? {
      stage.step(.keepAlive(app, timeout, lastRun: nil), answer)
    }
    let short = Interval.seconds(599)
    let refusal = Engine.Answer.refused(.keepAliveTooShort(short, minimum: .seconds(600)))
    #expect(broken(short, refusal) == nil)
    #expect(broken(short, .done) == "answers-fit")
    #expect(broken(short, .refused(.gone)) == "answers-fit")
    #expect(broken(.seconds(600), refusal) == "answers-fit")
    let stranger = Engine.Request.remaining(Stage.other)
    #expect(stage.step(stranger, .remaining(nil, forTasks: nil)) == "answers-fit")
  }

  @Test func `answers-fit: a remaining time that is not what is left`() {
    let stage = Stage(AnswersFit())
    let woke = stage.background()
    func broken(_ time: Interval?, forTasks: Interval? = .seconds(600)) -> String? {
      stage.step(.remaining(app), .remaining(time, forTasks: forTasks))
    }
    #expect(broken(.seconds(10)) == nil)
    #expect(broken(.seconds(600)) == "answers-fit")
    #expect(broken(.seconds(10), forTasks: .seconds(599)) == "answers-fit")
    #expect(broken(nil) == "answers-fit")
    #expect(broken(.seconds(10), forTasks: nil) == "answers-fit")
    stage.step(.beginTask(app, name: "task"), .task(Stage.task, remaining: .seconds(600)))
    #expect(broken(.seconds(600)) == nil)
    #expect(broken(.seconds(10)) == "answers-fit")
    stage.step(.endTask(app, Stage.task), .done)
    stage.step(.done(app, woke))
    #expect(broken(.seconds(600)) == nil)
  }

  @Test func `known-programs: an effect for a forgotten or killed program, and an id used twice`() {
    let stage = Stage(KnownPrograms())
    _ = stage.background()
    stage.step(.tick, [.kill(app, .quit)])
    #expect(stage.step(.tick, [.deliver(app, .willTerminate, stage.newTicket())]) == "known-programs")
    #expect(stage.step(.exited(app, .unknown), [.forget(app)]) == nil)
    #expect(stage.step(.tick, [.thaw(app)]) == "known-programs")
    let again = Engine.Answer.registered(app, .active)
    #expect(stage.step(.register(Registration(name: "twin")), again) == "known-programs")
  }

  @Test func `known-programs: a program that is not shown`() {
    let stage = Stage(KnownPrograms())
    _ = stage.background()
    #expect(stage.step(.tick) { $0.isComplete = true } == "known-programs")
  }

  @Test func `views-agree: a view that is not what happened`() {
    let stage = Stage(ViewsAgree())
    stage.sleeper()
    stage.step(.tick, after: .seconds(5))
    let right = Snapshot(id: app, state: .suspended, lines: [Stage.line], asleep: .seconds(5))
    func broken(_ change: (inout Snapshot) -> Void) -> String? {
      var seen = right
      change(&seen)
      return stage.step(.tick) { $0.snapshots = [seen] }
    }
    #expect(broken { _ in } == nil)
    #expect(broken { $0.state = .background } == "views-agree")
    #expect(broken { $0.isFreezing = true } == "views-agree")
    #expect(broken { $0.leases = [Snapshot.Hold(kind: .wake, ends: nil)] } == "views-agree")
    #expect(broken { $0.tasks = [Stage.task] } == "views-agree")
    #expect(broken { $0.lines = [] } == "views-agree")
    #expect(broken { $0.asleep = .seconds(4) } == "views-agree")
    #expect(broken { $0.awake = .seconds(1) } == "views-agree")
    #expect(broken { $0.wakes = 1 } == "views-agree")
    #expect(broken { $0.keepAlive = Snapshot.Window(opens: stage.now, due: stage.now) } == "views-agree")
  }

  @Test func `notification-counts: too many, over an active program, and left behind`() {
    var policy = Policy()
    policy.maximumNotifications = 1
    let content = LocalNotification(body: "New VOIP call")
    let present = Engine.Request.present(app, content)
    let answer = Engine.Answer.notification(Stage.notification)
    let show = Effect.show(Stage.notification, program: name, content)

    let stage = Stage(NotificationCounts(), policy: policy)
    _ = stage.background()
    #expect(stage.step(present, answer, effects: [show]) == nil)
    #expect(stage.step(.tick, [.show(NotificationID(2), program: name, content)]) == "notification-counts")
    #expect(stage.step(present, answer) == "notification-counts")

    let active = Stage(NotificationCounts())
    active.active()
    let over = Effect.show(Stage.notification, program: "active", content)
    #expect(active.step(present, answer, effects: [over]) == "notification-counts")
    #expect(active.step(.tick, [.withdraw(NotificationID(7))]) == "notification-counts")
  }

  @Test func `notification-counts: one that is late`() {
    let stage = Stage(NotificationCounts())
    _ = stage.background()
    let late = Notice(id: Stage.notification, program: name, fires: stage.now)
    let broken = stage.step(.tick) { step in
      step.isComplete = true
      step.notifications = [late]
    }
    #expect(broken == "notification-counts")
  }

  @Test func `notification-counts: a chosen action that its program is not told`() {
    let stage = Stage(NotificationCounts())
    _ = stage.background()
    let content = LocalNotification(body: "New VOIP call", action: "Answer")
    let id = Stage.notification
    stage.step(
      .present(app, content), .notification(id), effects: [.show(id, program: name, content)])
    let answer = Engine.Request.answer(id, action: "Answer")
    #expect(stage.step(answer, .done, effects: [.withdraw(id)]) == "notification-counts")
    let dismissed = Effect.action(app, id, "dismiss", Ticket(9))
    #expect(stage.step(.tick, [dismissed]) == "notification-counts")
  }

  @Test func `notification-counts: one that stays after its answer, and not its repeat`() {
    let stage = Stage(NotificationCounts())
    _ = stage.background()
    let (id, content) = (Stage.notification, LocalNotification(body: "New VOIP call"))
    let show = Effect.show(id, program: name, content)
    stage.step(.tick, [show])
    let dismiss = Engine.Request.answer(id, action: "dismiss")
    let second = NotificationID(2)
    stage.step(.tick, [.show(second, program: name, content)])
    #expect(stage.step(dismiss, .done, effects: [.withdraw(id), show, .withdraw(second)]) == nil)
    #expect(stage.step(dismiss, .done) == "notification-counts")
  }

  @Test
  func `notification-times: too early, too late, after a setting of the clock and after the cancelling`() {
    let stage = Stage(NotificationTimes())
    _ = stage.background()
    let content = LocalNotification(body: "New VOIP call")
    func schedule(_ id: UInt32, _ date: FireDate) {
      let answer = Engine.Answer.notification(NotificationID(id))
      stage.step(.schedule(app, content, date, repeats: nil), answer)
    }
    func show(_ id: UInt32) -> [Effect] { [.show(NotificationID(id), program: name, content)] }
    schedule(1, .after(.seconds(10)))
    #expect(stage.step(.tick, show(1), after: .seconds(9)) == "notification-times")
    #expect(stage.step(.tick, after: .seconds(1)) == "notification-times")
    #expect(stage.step(.tick, show(1)) == nil)
    schedule(2, .wall(30_000_000_000))
    #expect(stage.step(.tick, after: .seconds(19)) == nil)
    #expect(stage.step(.tick, show(2)) == "notification-times")
    #expect(stage.step(.wallClock(offset: 1_000_000_000), show(2)) == nil)
    schedule(3, .after(.seconds(1)))
    #expect(stage.step(.cancel(app, nil), .count(1)) == nil)
    #expect(stage.step(.tick, show(3), after: .seconds(1)) == "notification-times")
    schedule(4, .after(.seconds(1)))
    #expect(stage.step(.cancel(app, nil), .count(0)) == "notification-times")
  }

  @Test func `notification-times: what is due at a failed launch counts, what is shown again does not`() {
    let stage = Stage(NotificationTimes())
    _ = stage.background()
    let (id, content) = (Stage.notification, LocalNotification(body: "New VOIP call"))
    let show = [Effect.show(id, program: name, content)]
    let failed = Engine.Request.launchFailed(program: name)
    #expect(stage.step(failed, .done, effects: show) == nil)
    stage.step(.schedule(app, content, .after(.seconds(1)), repeats: nil), .notification(id))
    #expect(stage.step(failed, .done, effects: show, after: .seconds(1)) == nil)
    #expect(stage.step(.tick) == nil)
    #expect(stage.step(.launchFailed(program: "other"), .done, effects: show) == "notification-times")
  }

  @Test func `commands-obeyed: a command that changes nothing`() {
    let stage = Stage(CommandsObeyed())
    _ = stage.background()
    let seen = Snapshot(id: app)
    let done = Engine.Answer.done
    #expect(stage.step(.tick) { $0.snapshots = [seen] } == nil)
    let foreground = Engine.Request.transition(app, .foreground)
    #expect(stage.step(foreground, done) { $0.snapshots = [seen] } == "commands-obeyed")
    #expect(stage.step(.transition(app, .wake), done) == "commands-obeyed")
  }

  @Test func `tickets-grow: a ticket that is used twice`() {
    let stage = Stage(TicketsGrow())
    let woke = stage.background()
    #expect(stage.step(.tick, [.freeze(app, woke)]) == "tickets-grow")
  }

  @Test func `every rule is among those that evaluate a run, once`() {
    let names = Referee.allRules.map { type(of: $0).name }
    #expect(Set(names).count == names.count)
    #expect(names.count == 66)
  }
}
