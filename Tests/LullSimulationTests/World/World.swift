import LullEngine

/// The engine among a fake kernel, fake programs, peers, an operator and a wall clock, on a virtual
/// clock. It does what the daemon would do with the effects, and every step is judged.
final class World {
  /// What comes next.
  enum Happening {
    /// The timer; only the last one that was armed counts.
    case timer(armed: Int)
    case spuriousTick
    case deed(FakeProgram, Deed)
    /// The program's tasks stop.
    case stop(FakeProgram, Ticket)
    /// The daemon sees `frozen 1`, and looks.
    case look(FakeProgram, Ticket)
    /// It arms what it found and polls once more.
    case watch(FakeProgram, Ticket, WatchPlan)
    case refuse(FakeProgram, Ticket, FreezeRefusal, retryAfter: Interval?)
    /// A process of the program ends.
    case child(FakeProgram)
    /// Somebody sends the program SIGTERM.
    case signal(FakeProgram)
    /// Somebody else thaws the program while it sleeps, and the daemon hears of it.
    case thaw(FakeProgram, Ticket)
    case thawed(FakeProgram)
    /// A ping has been answered, or could not be.
    case pinged(FakeProgram, LineID, isAnswered: Bool)
    /// The operator turns to this program.
    case nudge(FakeProgram, Command)
    /// Something reaches a line now and then, and more often while the program sleeps.
    case peer(FakeProgram)
    case peerOfSleeper(FakeProgram, Ticket)
    /// Something reaches a line at the worst moment.
    case arrive(FakeProgram, Arrival)
    case report(FakeProgram, LineID)
    /// The daemon learns that the process ended.
    case bury(FakeProgram, AppID, ExitStatus)
    case launch(Int)
    case ghost(Event)
    case command
    case clock
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
  /// The numbers of the programs that do not bear to be frozen.
  var spared: Set<Int> = []
  var steps = 0
  var isDraining = false
  /// The last look showed more than the waits of the program.
  var isDisturbed = false
  /// Sees every step.
  var witness: ((Event, [Effect]) -> Void)?
  private(set) var trace: Trace
  private let referee: Referee
  private var armed = 0
  private var armedFor: Moment?
  private var effects: [Effect] = []
  private var lives = 0
  private var operatorRequests: UInt64 = 0

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

  /// Lets so many steps pass; false when nothing is left that could happen.
  @discardableResult
  func run(steps count: Int) throws(Violation) -> Bool {
    while steps < count {
      guard let next = agenda.next() else { return false }
      now = max(now, next.moment)
      try happen(next.item)
    }
    return true
  }

  /// Feeds the engine, performs what it says and has the step judged.
  func feed(_ event: Event) throws(Violation) {
    steps += 1
    effects.removeAll(keepingCapacity: true)
    engine.handle(event, at: now, effects: &effects)
    trace.add(step: steps, now: now, event: event, effects: effects)
    witness?(event, effects)
    let touched = touchedPrograms(event)
    for effect in effects { perform(effect) }
    try referee.judge(observe(event, touched), at: now)
    armTimer()
    if scenario.ghosts > 0, !isDraining, event.canHaunt, chance.happens(scenario.ghosts) {
      plan(.ghost(event), after: chance.happens(500) ? .zero : chance.around(.seconds(60)))
    }
  }

  private func touchedPrograms(_ event: Event) -> [AppID] {
    var touched: [AppID] = []
    if let app = event.app { touched.append(app) }
    for effect in effects {
      if let app = effect.app, !touched.contains(app) { touched.append(app) }
    }
    return touched
  }

  private func observe(_ event: Event, _ touched: [AppID]) -> Step {
    var step = Step(event: event, effects: effects, deadline: engine.deadline)
    step.isComplete = steps % 64 == 0
    for id in step.isComplete ? engine.programs : touched {
      if let view = engine.program(id, at: now) { step.snapshots.append(Snapshot(view)) }
    }
    if step.isComplete {
      step.notifications = engine.notifications.map { Notice(id: $0.id, app: $0.app, fires: $0.fires) }
    }
    // A repeated report finds a sleeper on which something may have come meanwhile.
    if case .frozen(let app, _) = event, effects.contains(.note(app, .frozen)) {
      step.kernel = program(app).flatMap(sleeperView)
    }
    if case .observed(let app, _, _) = event { step.looked = program(app).flatMap(lookView) }
    guard step.isComplete || step.isTick else { return step }
    for program in programs {
      guard program.isAlive, let since = program.cell.unseenSince, let app = program.app else { continue }
      step.starving.append(Starving(app: app, since: since, patience: scenario.patience))
    }
    return step
  }

  private func armTimer() {
    guard engine.deadline != armedFor else { return }
    armedFor = engine.deadline
    armed += 1
    guard let deadline = engine.deadline else { return }
    let isLate = !isDraining && chance.happens(scenario.tickLate)
    let moment = max(now, deadline) + (isLate ? chance.upTo(scenario.tickMost) : .zero)
    agenda.add(.timer(armed: armed), at: moment, order: chance.next())
  }

  /// True for the timer that was armed last; it has fired then.
  func timerFires(_ number: Int) -> Bool {
    guard number == armed else { return false }
    armedFor = nil
    return true
  }

  func operatorRequest() -> RequestID {
    operatorRequests += 1
    return RequestID(UInt64.max << 48 | operatorRequests)
  }

  func newLife() -> Int {
    lives += 1
    return lives
  }
}

extension Event {
  /// A shell may say it too late or twice without having lost its mind.
  fileprivate var canHaunt: Bool {
    switch self {
    case .did, .done, .observed, .frozen, .freezeRefused, .lineFound, .childEnded, .ending, .signalled,
      .unfrozen,
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
