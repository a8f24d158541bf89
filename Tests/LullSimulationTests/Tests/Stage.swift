import LullEngine

/// Feeds rules a trace that is written by hand: no engine, no world.
final class Stage {
  static let app = AppID(slot: 0, generation: 0)
  static let other = AppID(slot: 1, generation: 0)
  static let line = LineID(1)
  static let task = TaskID(1)
  static let notification = NotificationID(1)

  private let referee: Referee
  private(set) var now = Moment(nanoseconds: 0)
  private var ticket: UInt64 = 0

  /// The default policy, except that a program is frozen with its `done`.
  static var prompt: Policy {
    var policy = Policy()
    policy.settlingTime = .zero
    return policy
  }

  init(_ rules: any Rule..., policy: Policy = Stage.prompt, lateness: Interval = .zero) {
    referee = Referee(policy: policy, lateness: lateness, rules: rules)
  }

  /// Feeds one step. Returns the rule that the step breaks, if any.
  @discardableResult
  func step(
    _ event: Event, _ effects: [Effect] = [], after wait: Interval = .zero,
    seen: (inout Step) -> Void = { _ in }
  ) -> String? {
    evaluate(Step(input: .event(event), effects: effects), after: wait, seen)
  }

  /// Feeds one step of a request and its answer.
  @discardableResult
  func step(
    _ request: Engine.Request, _ answer: Engine.Answer, effects: [Effect] = [],
    after wait: Interval = .zero, seen: (inout Step) -> Void = { _ in }
  ) -> String? {
    evaluate(Step(input: .request(request), answer: answer, effects: effects), after: wait, seen)
  }

  private func evaluate(_ step: Step, after wait: Interval, _ seen: (inout Step) -> Void) -> String? {
    now = now + wait
    var step = step
    seen(&step)
    do throws(Violation) {
      try referee.evaluate(step, at: now)
      return nil
    } catch {
      return error.rule
    }
  }

  func newTicket() -> Ticket {
    ticket += 1
    return Ticket(ticket)
  }

  /// A VoIP program in the background with a line, woken once.
  func background(
    _ app: AppID = Stage.app, batch: Interval? = nil, offload: Offload = .line, exits: Bool = false
  ) -> Ticket {
    var registration = Registration(name: "program \(app.slot)", modes: .voip)
    registration.resumes = .background
    registration.settings.batchWakes = batch
    registration.settings.exitsOnSuspend = exits
    let ticket = newTicket()
    step(
      .register(registration),
      .registered(app, .background),
      effects: [
        .note(app, .state(.background)),
        .woke(app, Wake(reason: .unfrozen, line: nil, moment: now), ticket),
      ])
    let line = LineID(Self.line.number + app.slot)
    step(.hold(app, .voip, offload), .line(line))
    return ticket
  }

  /// A VoIP program that is asleep by its own `done`.
  func sleeper(_ app: AppID = Stage.app, batch: Interval? = nil, offload: Offload = .line) {
    let woke = background(app, batch: batch, offload: offload)
    let freeze = newTicket()
    step(.done(app, woke), [.freeze(app, freeze)])
    sleeps(freeze, Observation(), app: app)
  }

  /// The freeze is complete and the observation finds the program idle: it sleeps.
  @discardableResult
  func sleeps(
    _ freeze: Ticket, _ observation: Observation = Observation(), app: AppID = Stage.app,
    seen: (inout Step) -> Void = { _ in }
  ) -> String? {
    watched(freeze, observation, app: app)
      ?? step(.frozen(app, freeze), [.note(app, .state(.suspended))], seen: seen)
  }

  /// The first freeze of a command is complete, and the command bears it.
  @discardableResult
  func tries(_ freeze: Ticket) -> String? {
    watched(freeze, Observation(), app: Self.app)
      ?? step(.frozen(Self.app, freeze), [.thaw(Self.app), .note(Self.app, .trialFrozen)])
  }

  private func watched(_ freeze: Ticket, _ observation: Observation, app: AppID) -> String? {
    step(.observed(app, freeze, observation), [.watch(app, freeze, WatchPlan())])
  }

  /// A program that is launched into the foreground and active.
  func active(_ app: AppID = Stage.app) {
    step(
      .register(Registration(name: "active", modes: .voip)),
      .registered(app, .inactive), effects: [.note(app, .state(.inactive))])
    for message in [DelegateMessage.willFinishLaunching, .didFinishLaunching, .didBecomeActive] {
      let ticket = newTicket()
      if message == .didBecomeActive { step(.tick, [.note(app, .state(.active))]) }
      step(.tick, [.deliver(app, message, ticket)])
      step(.did(app, ticket))
    }
  }

  func install(_ timeout: Interval, _ app: AppID = Stage.app) {
    step(.keepAlive(app, timeout, lastRun: nil), .done)
  }

  func begin(_ app: AppID = Stage.app) {
    step(
      .beginTask(app, name: "task"), .task(Self.task, remaining: nil))
  }

  /// A wake of a sleeper.
  func wake(_ app: AppID = Stage.app, _ reason: WakeReason = .data, line: LineID? = Stage.line) -> [Effect] {
    [
      .thaw(app), .note(app, .woke(reason, line)), .note(app, .state(.background)),
      .woke(app, Wake(reason: reason, line: line, moment: now), newTicket()),
    ]
  }
}
