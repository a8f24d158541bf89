/// The rules of background execution as a value: events in, effects out, a deadline and an alarm. The engine
/// makes no system call and reads no clock. The daemon, the simulator and the embedded library run the same
/// engine.
public struct Engine: Sendable {
  /// The numbers of the rules.
  public let policy: Policy
  var apps = AppSlots()
  var deadlines = DeadlineQueue()
  /// The deadlines for which a suspended machine is resumed.
  var alarms = DeadlineQueue()
  /// The moments at which programs are killed for not having ended something; only a tick kills.
  var limits = DeadlineQueue()
  /// The moments from which on any turn looks at the signals of a sleeper.
  var looks = DeadlineQueue()
  var machine = MachineHold()
  var centre: NotificationCentre
  var surroundings = Surroundings()
  var launching = Launching()
  var accessories = AccessoryNews()
  var recordings: [RecordingEntry] = []
  var episode: MemoryEpisode?
  /// The programs that were in a call when calls were arranged last.
  var callers: [AppID] = []
  /// The choices of which programs are to hear that are being started.
  var awaited: [(item: NotificationRecord, choice: NotificationChoice)] = []
  private var lastTicket: UInt64 = 0
  var lineNumbers: Numbers, taskNumbers: Numbers, sessionNumbers: Numbers

  /// An engine without programs. Its lines, tasks, sessions and notifications get numbers from the one after
  /// `lastNumber` on; after the last number they begin anew at 1.
  public init(policy: Policy = Policy(), lastNumber: UInt32 = 0) {
    self.policy = policy
    let numbers = Numbers(after: lastNumber)
    (lineNumbers, taskNumbers, sessionNumbers) = (numbers, numbers, numbers)
    centre = NotificationCentre(numbers: numbers)
  }

  /// The next moment at which `tick` has something to do; nil when nothing is due. What is due while the
  /// machine is suspended waits until it is resumed, but for `alarm`.
  public var deadline: Moment? {
    let next = min(
      deadlines.first?.moment ?? .never, limits.first?.moment ?? .never, centre.deadline, launching.deadline,
      pressureDeadline, accessories.due)
    return next == .never ? nil : next
  }

  /// The next moment for which a suspended machine is to be resumed; never before `deadline`.
  public var alarm: Moment? {
    let next = min(alarms.first?.moment ?? .never, centre.nextFire, launching.alarm)
    return next == .never ? nil : next
  }

  /// Takes an event at `now` and appends the orders to the shell, in order. `now` never goes back.
  ///
  /// Every event does all that is due, except a kill. A kill waits for the `tick`, so that a late shell first
  /// passes on what programs have said.
  public mutating func handle(_ event: Event, at now: Moment, effects: inout [Effect]) {
    inTurn(at: now, effects: &effects) { engine, turn in
      if case .tick = event { turn.enforcesLimits = true }
      engine.dispatch(event, &turn)
    }
  }

  /// Answers a request at `now` and appends the orders to the shell, in order, as for an event. The shell
  /// must have put a registered program in its place before it performs the first effect.
  public mutating func handle(_ request: Request, at now: Moment, effects: inout [Effect]) -> Answer {
    inTurn(at: now, effects: &effects) { engine, turn in engine.answer(request, &turn) }
  }

  private mutating func inTurn<Result>(
    at now: Moment, effects: inout [Effect], _ body: (inout Engine, inout Turn) -> Result
  ) -> Result {
    var taken: [Effect] = []
    swap(&taken, &effects)
    // Without this bound `never` would be due at the end of the clock.
    let now = min(now, Moment(nanoseconds: .max - 1))
    let isNewDay = surroundings.pass(to: now)
    var turn = Turn(
      policy: policy, now: now, programs: apps.count, surroundings: surroundings, lastTicket: lastTicket,
      effects: taken)
    taken = []
    let result = body(&self, &turn)
    // Not before: what moves the limits of the programs must come first.
    if isNewDay { tellSurroundings(&turn) }
    tellAccessories(&turn)
    giveUpLaunches(&turn)
    fireNotifications(&turn)
    elapse(&turn)
    lookForSignals(&turn)
    startLaunches(&turn)
    relievePressure(&turn)
    arrangeSound(&turn)
    recordNotifications(&turn, atEnd: true)
    lastTicket = turn.lastTicket
    effects = turn.takeEffects()
    return result
  }

  private mutating func dispatch(_ event: Event, _ turn: inout Turn) {
    switch event {
    case .leave(let id): leave(id, &turn)
    case .letGo(let id): letGo(id, &turn)
    case .exited(let id, let status): exited(id, with: status, &turn)
    case .did(let id, let ticket): spoken(id, &turn) { $0.did(ticket, &$1) }
    case .done(let id, let ticket): spoken(id, &turn) { $0.done(ticket, $1) }
    case .handling(let id, let ticket): spoken(id, &turn) { $0.handling(ticket, $1) }
    case .fetched(let id, let ticket, let result): spoken(id, &turn) { $0.fetched(ticket, with: result, &$1) }
    case .frozen(let id, let ticket): touch(id, &turn) { $0.frozen(ticket, &$1) }
    case .looked(let id, let ticket, let look): touch(id, &turn) { $0.looked(ticket, look: look, &$1) }
    case .observed(let id, let ticket, let observation):
      touch(id, &turn) { $0.observed(ticket, observation: observation, &$1) }
    case .freezeRefused(let id, let ticket, let why, let retryAfter, let detail):
      touch(id, &turn) { $0.freezeRefused(ticket, why: why, detail: detail, retryAfter: retryAfter, &$1) }
    case .ending(let id): touch(id, &turn) { $0.ending(&$1) }
    case .signalled(let id): touch(id, &turn) { $0.signalled(&$1) }
    case .unfrozen(let id): touch(id, &turn) { $0.unfrozen(&$1) }
    case .reconnect(let id, let reason): touch(id, &turn) { $0.reconnect(reason, &$1) }
    case .childEnded(let id): touch(id, &turn) { $0.childEnded(&$1) }
    case .compacted(let id, let ticket, let result):
      touch(id, &turn) { $0.compacted(ticket, with: result, &$1) }
    case .lockAwaited(let id): touch(id, &turn) { $0.lockAwaited(&$1) }
    case .signalDue(let id): touch(id, &turn) { $0.signalDue(&$1) }
    case .ready(let id, let line, let readiness): touch(id, &turn) { $0.ready(line, as: readiness, &$1) }
    case .pingAnswered(let id, let line): touch(id, &turn) { $0.pingAnswered(line, &$1) }
    case .lineLost(let id, let line): touch(id, &turn) { $0.lineLost(line, &$1) }
    case .lineForgotten(let id, let line): touch(id, &turn) { app, _ in app.lineForgotten(line) }
    case .sound(let id, let session, let report): touch(id, &turn) { $0.sound(of: session, report, &$1) }
    case .audibility(let id, let scope, let report): touch(id, &turn) { $0.note(in: scope, report, &$1) }
    case .routeChanged: changeRoute(&turn)
    case .tick: break
    case .traced(let id): touch(id, &turn) { $0.traced(&$1) }
    case .stoodStill(let time): standStill(time, &turn)
    case .wallClock(let offset): setClock(offset, &turn)
    case .accessory(let device): accessories.take(device, at: turn.now, policy)
    case .surrounding(let change): surround(change, &turn)
    case .pressure(let level): takePressure(level, &turn)
    case .linesWait(let name, let ending): linesWait(name, after: ending, turn)
    case .linesReady(let name): launching.update(name) { $0.linesReady() }
    case .linesTaken(let name): launching.update(name) { $0.linesTaken() }
    case .sizes(let ticket, let sizes): measured(ticket, sizes: sizes, &turn)
    }
  }

  @discardableResult
  mutating func touch<Result>(
    _ id: AppID, _ turn: inout Turn, body: (inout App, inout Turn) -> Result
  ) -> Result? {
    guard let result = apps.update(id, { body(&$0, &turn) }) else { return nil }
    settle(Int(id.slot), &turn)
    return result
  }

  /// A program that speaks is not asleep, so a freeze that overtook its request is taken back first.
  @discardableResult
  mutating func spoken<Result>(
    _ id: AppID, _ turn: inout Turn, body: (inout App, inout Turn) -> Result
  ) -> Result? {
    touch(id, &turn) { app, turn in
      if !app.isAwake, app.isStaying {
        app.unfreeze(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn)
      }
      return body(&app, &turn)
    }
  }

  mutating func settle(_ slot: Int, _ turn: inout Turn) {
    let next = apps.updateSlot(slot) { $0.settle(&turn) }
    deadlines.set(slot, next?.due ?? .never)
    alarms.set(slot, next?.alarm ?? .never)
    limits.set(slot, next?.limit ?? .never)
    looks.set(slot, next?.looks ?? .never)
    machine.set(slot, next?.holdsMachine ?? false)
  }

  private mutating func elapse(_ turn: inout Turn) {
    while let first = deadlines.first, first.moment <= turn.now { settle(first.slot, &turn) }
    if turn.enforcesLimits {
      while let first = limits.first, first.moment <= turn.now { settle(first.slot, &turn) }
    }
    if launching.deadline <= turn.now, launching.entries.contains(where: { $0.mustRun(turn) }) {
      turn.runsKeepAlives = true
    }
    guard turn.runsKeepAlives else { return }
    turn.runsKeepAlives = false
    runLaunchingKeepAlives(&turn)
    startForFetches(&turn)
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.joinWake(&turn) }) != nil {
      settle(slot, &turn)
    }
  }

  /// Looks in a turn that comes anyway cost no wake: a look thaws nobody.
  private mutating func lookForSignals(_ turn: inout Turn) {
    for _ in 0..<policy.signalLooks {
      guard let first = looks.first, first.moment <= turn.now else { return }
      apps.updateSlot(first.slot) { $0.lookForSignals(&turn) }
      settle(first.slot, &turn)
    }
  }

  /// Moves every limit by a time in which no program could run.
  private mutating func standStill(_ time: Interval, _ turn: inout Turn) {
    let time = time.clamped(to: .zero...policy.longest)
    episode?.standStill(time)
    launching.updateEach { $0.standStill(time) }
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.standStill(time) }) != nil {
      settle(slot, &turn)
    }
  }
}
