/// The rules of background execution as a value: events in, effects out, one deadline. It makes no
/// system call and reads no clock; the daemon, the simulator and the embedded library run the same one.
public struct Engine: Sendable {
  /// The numbers that it goes by.
  public let policy: Policy
  var apps = Table()
  var deadlines = DeadlineQueue()
  /// When a program is killed for not having ended something; a tick alone does it.
  var limits = DeadlineQueue()
  var centre: NotificationCentre
  private var lastTicket: UInt64 = 0
  private var lineNumbers: Numbers, taskNumbers: Numbers, sessionNumbers: Numbers

  /// An engine without programs. Its lines, tasks, sessions and notifications are numbered from the one after
  /// `lastNumber` on; after the last number they begin anew at 1.
  public init(policy: Policy = Policy(), lastNumber: UInt32 = 0) {
    self.policy = policy
    let numbers = Numbers(after: lastNumber)
    (lineNumbers, taskNumbers, sessionNumbers) = (numbers, numbers, numbers)
    centre = NotificationCentre(numbers: numbers)
  }

  /// When `tick` has something to do; nil when nothing is due.
  public var deadline: Moment? {
    let next = min(
      deadlines.first?.moment ?? .never, limits.first?.moment ?? .never, centre.nextFire)
    return next == .never ? nil : next
  }

  /// Takes an event at `now` and appends what the shell has to do, in order. `now` never goes back.
  ///
  /// Whatever is due is done with every event, but for a kill: that waits for the `tick`, so that a shell
  /// which is late first hears what programs have said.
  public mutating func handle(_ event: Event, at now: Moment, effects: inout [Effect]) {
    var taken: [Effect] = []
    swap(&taken, &effects)
    // What is never due is not due at the end of the clock either.
    let now = min(now, Moment(nanoseconds: .max - 1))
    var turn = Turn(
      policy: policy, now: now, programs: apps.count, lastTicket: lastTicket, effects: taken)
    if case .tick = event { turn.enforcesLimits = true }
    taken = []
    dispatch(event, &turn)
    fireNotifications(&turn)
    elapse(&turn)
    arrangeSound(&turn)
    lastTicket = turn.lastTicket
    effects = turn.takeEffects()
  }

  private mutating func dispatch(_ event: Event, _ turn: inout Turn) {
    switch event {
    case .register(let registration, let request): register(registration, request, &turn)
    case .adopt(let id, let registration, let request): adopt(id, registration, request, &turn)
    case .leave(let id): leave(id, &turn)
    case .exited(let id, let status): exited(id, status, &turn)
    case .did(let id, let ticket): spoken(id, nil, &turn) { $0.did(ticket, &$1) }
    case .done(let id, let ticket): spoken(id, nil, &turn) { $0.done(ticket, $1) }
    case .hold(let id, let kind, let offload, let request):
      let line = newLine()
      spoken(id, request, &turn) { $0.hold(line, kind, offload, request, &$1) }
    case .release(let id, let line, let request):
      spoken(id, request, &turn) { $0.release(line, request, &$1) }
    case .keepAlive(let id, let timeout, let lastRun, let since, let request):
      spoken(id, request, &turn) { $0.setKeepAlive(timeout, lastRun: lastRun, since: since, request, &$1) }
    case .beginTask(let id, let name, let request):
      let task = newTask()
      spoken(id, request, &turn) { $0.beginTask(task, name, request, &$1) }
    case .endTask(let id, let task, let request):
      spoken(id, request, &turn) { $0.endTask(task, request, &$1) }
    case .remaining(let id, let request):
      spoken(id, request, &turn) { $1.answer(request, .remaining($0.remainingTime($1))) }
    case .present(let id, let content, let request): present(id, content, request, &turn)
    case .schedule(let id, let content, let date, let repeats, let request):
      schedule(id, content, date, repeats, request, &turn)
    case .cancel(let id, let notification, let request): cancel(id, notification, request, &turn)
    case .command(let id, let command, let request):
      touch(id, request, &turn) { $0.command(command, request, &$1) }
    case .answer(let notification, let action, let request): answer(notification, action, request, &turn)
    case .frozen(let id, let ticket): touch(id, nil, &turn) { $0.frozen(ticket, &$1) }
    case .observed(let id, let ticket, let observation):
      touch(id, nil, &turn) { $0.observed(ticket, observation, &$1) }
    case .freezeRefused(let id, let ticket, let why, let retryAfter, let detail):
      touch(id, nil, &turn) { $0.freezeRefused(ticket, why, detail, retryAfter, &$1) }
    case .lineFound(let id, let kind, let origin, let request):
      let line = newLine()
      touch(id, request, &turn) { $0.lineFound(line, kind, origin, request, &$1) }
    case .ending(let id): touch(id, nil, &turn) { $0.ending(&$1) }
    case .signalled(let id): touch(id, nil, &turn) { $0.signalled(&$1) }
    case .unfrozen(let id): touch(id, nil, &turn) { $0.unfrozen(&$1) }
    case .childEnded(let id): touch(id, nil, &turn) { $0.childEnded(&$1) }
    case .ready(let id, let line, let readiness): touch(id, nil, &turn) { $0.ready(line, readiness, &$1) }
    case .pingAnswered(let id, let line): touch(id, nil, &turn) { $0.pingAnswered(line, &$1) }
    case .lineLost(let id, let line): touch(id, nil, &turn) { $0.lineLost(line, &$1) }
    case .lineForgotten(let id, let line): touch(id, nil, &turn) { app, _ in app.lineForgotten(line) }
    case .openSession(let id, let session, let request): openSession(id, session, request, &turn)
    case .endSession(let id, let session, let request):
      touch(id, request, &turn) { $0.endSession(session, request, &$1) }
    case .sound(let id, let session, let report):
      touch(id, nil, &turn) { $0.sound(session, report, &$1) }
    case .heard(let id, let scope, let report): touch(id, nil, &turn) { $0.heard(scope, report, &$1) }
    case .routeChanged: changeRoute(&turn)
    case .tick: break
    case .stoodStill(let time): standStill(time, &turn)
    case .wallClock(let offset): centre.setOffset(offset)
    }
  }

  /// Changes a program and settles it. A request for a program that is gone is refused; anything else is
  /// stale.
  mutating func touch(
    _ id: AppID, _ request: RequestID?, _ turn: inout Turn, _ body: (inout App, inout Turn) -> Void
  ) {
    guard apps.update(id, { body(&$0, &turn) }) != nil else {
      if let request { turn.refuse(request, .gone) }
      return
    }
    settle(Int(id.slot), &turn)
  }

  /// The same for what a program says itself: one that speaks is not asleep, so a freeze that
  /// overtook its request is taken back before the request is heard.
  mutating func spoken(
    _ id: AppID, _ request: RequestID?, _ turn: inout Turn, _ body: (inout App, inout Turn) -> Void
  ) {
    touch(id, request, &turn) { app, turn in
      if !app.isAwake, app.isStaying {
        app.rouse(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn)
      }
      body(&app, &turn)
    }
  }

  /// Carries a program as far as it can go at this moment, then sets its deadline.
  mutating func settle(_ slot: Int, _ turn: inout Turn) {
    let next = apps.updateSlot(slot) { $0.settle(&turn) }
    deadlines.set(slot, next?.due ?? .never)
    limits.set(slot, next?.limit ?? .never)
  }

  private mutating func elapse(_ turn: inout Turn) {
    while let first = deadlines.first, first.moment <= turn.now { settle(first.slot, &turn) }
    if turn.enforcesLimits {
      while let first = limits.first, first.moment <= turn.now { settle(first.slot, &turn) }
    }
    guard turn.runsKeepAlives else { return }
    turn.runsKeepAlives = false
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.joinWake(&turn) }) != nil {
      settle(slot, &turn)
    }
  }

  /// Time in which no program could run takes nothing from any.
  private mutating func standStill(_ time: Interval, _ turn: inout Turn) {
    let time = time.clamped(to: .zero...policy.longest)
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.standStill(time) }) != nil {
      settle(slot, &turn)
    }
  }

  private mutating func newLine() -> LineID {
    LineID(lineNumbers.next() ?? lineNumbers.next(besides: apps.numbers { $0.lines.map(\.id.number) }))
  }

  private mutating func newTask() -> TaskID {
    TaskID(
      taskNumbers.next() ?? taskNumbers.next(besides: apps.numbers { $0.tasks.items.map(\.id.number) }))
  }

  mutating func newSession() -> SessionID {
    SessionID(
      sessionNumbers.next()
        ?? sessionNumbers.next(besides: apps.numbers { $0.playbacks.map(\.id.number) }))
  }
}
