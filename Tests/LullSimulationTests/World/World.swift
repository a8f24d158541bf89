import LullEngine

/// The engine among a fake kernel, fake programs, peers, an operator and a wall clock, on a virtual clock.
/// The world does what the daemon would do with the effects, and every step is checked by every rule.
final class World {
  enum Happening {
    /// The timer; only the last one that was armed counts.
    case timer(armed: Int)
    case spuriousTick
    case deed(FakeProgram, Deed)
    /// The daemon looks at the program before it freezes it.
    case look(FakeProgram, Ticket)
    /// The program's tasks stop.
    case stop(FakeProgram, Ticket)
    /// The daemon sees `frozen 1`, and observes.
    case observe(FakeProgram, Ticket)
    /// The daemon arms the sources and polls once more.
    case watch(FakeProgram, Ticket, WatchPlan)
    case refuse(FakeProgram, Ticket, FreezeRefusal, retryAfter: Interval?)
    /// A process of the program ends.
    case child(FakeProgram)
    /// Somebody sends the program SIGTERM.
    case signal(FakeProgram)
    /// Somebody else thaws the program while it sleeps, and the daemon is told.
    case thaw(FakeProgram, Ticket)
    case thawed(FakeProgram)
    /// The memory of a sleeper has been given back, or could not be.
    case compacted(FakeProgram, Ticket)
    /// Somebody waits for a lock that the sleeper holds.
    case lockAwaited(FakeProgram)
    /// A signal waits for the sleeper.
    case signalDue(FakeProgram)
    /// A ping has been answered, or could not be.
    case pinged(FakeProgram, LineID, isAnswered: Bool)
    /// The operator makes a request about this program.
    case nudge(FakeProgram, Transition)
    /// Something reaches a line now and then, and more often while the program sleeps.
    case peer(FakeProgram)
    case peerOfSleeper(FakeProgram, Ticket)
    /// Something reaches a line at the worst moment.
    case arrive(FakeProgram, Arrival)
    case report(FakeProgram, LineID)
    /// The daemon learns that the process ended.
    case bury(FakeProgram, AppID, ExitStatus)
    case launch(Int)
    /// A program is installed, and no longer.
    case install(Int), uninstall(Int)
    /// The shell starts an installed program, or cannot.
    case start(Int)
    case ghost(Input)
    case command
    case clock
    /// The machine is suspended.
    case suspend
    case surroundings
    case accessory(Accessory?)
    /// Memory is short, or shorter.
    case pressure
    case sizes(Ticket, [AppID])
    case sound(FakeProgram, FakeSession, SoundAct, age: Int?)
    case device
  }

  let scenario: Scenario
  var chance: Chance
  var engine: Engine
  var now = Moment(nanoseconds: 0)
  var agenda = Agenda()
  /// The living processes by number.
  var programs: [FakeProgram] = []
  /// The program of each slot.
  var managed: [FakeProgram?] = []
  var shown: [NotificationID] = []
  /// The numbers of the programs that are installed.
  var installed: Set<Int> = []
  /// The numbers of the programs that do not bear to be frozen.
  var exempt: Set<Int> = []
  var steps = 0
  var isDraining = false
  var isResumed = false
  /// True when the last observation showed more than the waits of the program.
  var isDisturbed = false
  var witness: ((Input, Engine.Answer?, [Effect]) -> Void)?
  private(set) var trace: Trace
  private let referee: Referee
  private var armed = 0
  private var armedFor: Moment?
  private var effects: [Effect] = []
  private var lives = 0

  init(
    _ scenario: Scenario, chance: Chance, isHashed: Bool = false, rules: [any Rule] = Referee.allRules
  ) {
    self.scenario = scenario
    self.chance = chance
    engine = Engine(policy: scenario.policy)
    trace = Trace(isHashed: isHashed)
    referee = Referee(policy: scenario.policy, lateness: scenario.tickMost, rules: rules)
  }

  func plan(_ happening: Happening, after interval: Interval) {
    agenda.add(happening, at: now + interval, order: chance.next())
  }

  /// Takes this number of steps; false when nothing is left that could happen.
  @discardableResult
  func run(steps count: Int) throws(Violation) -> Bool {
    while steps < count {
      guard let next = agenda.next() else { return false }
      now = max(now, next.moment)
      try happen(next.item)
    }
    return true
  }

  /// Feeds the engine, performs its effects and has the step checked.
  func feed(_ event: Event) throws(Violation) { try feed(.event(event)) }

  /// Makes a request of `program`, which gets the answer; nil: somebody else asks.
  func ask(_ request: Engine.Request, _ ask: Ask = .other, by program: FakeProgram? = nil) throws(Violation) {
    try feed(.request(request)) { answer in
      if let program { deliver(answer, to: program, ask) }
    }
  }

  func feed(_ input: Input, answered: (Engine.Answer) -> Void = { _ in }) throws(Violation) {
    steps += 1
    effects.removeAll(keepingCapacity: true)
    let answer = engine.take(input, at: now, effects: &effects)
    trace.add(step: steps, now: now, input, answer, effects: effects)
    witness?(input, answer, effects)
    let touched = touchedPrograms(input, answer)
    if let answer { answered(answer) }
    for effect in effects { perform(effect) }
    try referee.evaluate(observe(input, answer: answer, touched: touched), at: now)
    armTimer()
    if scenario.ghosts > 0, !isDraining, input.canHaunt, chance.happens(scenario.ghosts) {
      plan(.ghost(input), after: chance.happens(500) ? .zero : chance.around(.seconds(60)))
    }
  }

  private func touchedPrograms(_ input: Input, _ answer: Engine.Answer?) -> [AppID] {
    var touched: [AppID] = []
    if let app = input.app { touched.append(app) }
    if case .registered(let app, _) = answer, !touched.contains(app) { touched.append(app) }
    for effect in effects {
      if let app = effect.app, !touched.contains(app) { touched.append(app) }
    }
    return touched
  }

  private func observe(_ input: Input, answer: Engine.Answer?, touched: [AppID]) -> Step {
    var step = Step(input: input, answer: answer, effects: effects, deadline: engine.deadline)
    (step.alarm, step.isResumed) = (engine.alarm, isResumed)
    step.isComplete = steps % 64 == 0
    for id in step.isComplete ? engine.programs : touched {
      if let view = engine.program(id, at: now) { step.snapshots.append(Snapshot(view)) }
    }
    if step.isComplete {
      step.notifications = engine.notifications.map {
        Notice(id: $0.id, program: $0.program, fires: $0.fires)
      }
    }
    // A repeated report finds a sleeper on which something may have come meanwhile.
    if case .frozen(let app, _) = input.event, effects.contains(.note(app, .frozen)) {
      step.kernel = program(app).flatMap(sleeperView)
    }
    if case .looked(let app, _, _) = input.event { step.activity = program(app).map { activity($0, app) } }
    if case .observed(let app, _, _) = input.event { step.looked = program(app).flatMap(lookView) }
    guard step.isComplete || step.isTick else { return step }
    for program in programs {
      guard program.isAlive, let since = program.cell.unseenSince, let app = program.app else { continue }
      step.starving.append(Starving(app: app, since: since, patience: scenario.patience))
    }
    for program in programs where program.isAlive && program.isObserved {
      guard case .watched = program.cell.freezer, let app = program.app, let alarm = program.waits.alarm,
        alarm.due <= now
      else { continue }
      step.rung.append(Starving(app: app, since: alarm.due, patience: scenario.patience))
    }
    return step
  }

  private func armTimer() {
    // Repeating notifications outlive their programs, and would keep the world going for ever.
    guard !isDraining || !engine.programs.isEmpty else { return }
    guard engine.deadline != armedFor else { return }
    armedFor = engine.deadline
    armed += 1
    guard let deadline = engine.deadline else { return }
    let isLate = !isDraining && chance.happens(scenario.tickLate)
    let moment = max(now, deadline) + (isLate ? chance.upTo(scenario.tickMost) : .zero)
    agenda.add(.timer(armed: armed), at: moment, order: chance.next())
  }

  /// The timer goes by a clock that does not stand still with the machine.
  func takeTimerBack() {
    armedFor = nil
    armed += 1
  }

  /// True for the timer that was armed last; it has fired then.
  func timerFires(_ number: Int) -> Bool {
    guard number == armed else { return false }
    armedFor = nil
    return true
  }

  func newLife() -> Int {
    lives += 1
    return lives
  }
}

extension Input {
  /// True for an event that a shell may tell too late or twice without having lost its mind.
  fileprivate var canHaunt: Bool {
    switch self {
    case .request(.lineFound): return true
    case .request: return false
    case .event(let event): return event.canHaunt
    }
  }
}

extension Event {
  fileprivate var canHaunt: Bool {
    switch self {
    case .did, .done, .fetched, .observed, .frozen, .freezeRefused, .compacted, .lockAwaited, .signalDue,
      .childEnded,
      .ending, .signalled, .unfrozen,
      .ready, .lineLost, .exited, .tick:
      true
    default: false
    }
  }
}

extension Snapshot {
  init(_ view: AppView) {
    self.init(
      id: view.id, state: view.state, isFreezing: view.isFreezing,
      leases: view.leases.map { Hold(kind: $0.kind, ends: $0.ends) }, tasks: view.tasks.map(\.id),
      lines: view.lines.map(\.id), keepAlive: view.keepAlive.map { Window(opens: $0.opens, due: $0.due) },
      asleep: view.asleep, awake: view.awake, wakes: view.wakes)
  }
}
