internal import LullEngine
internal import LullSystem
internal import LullWire

/// The engine inside the process. It suspends the handlers instead of the process.
final class EmbeddedLink: Link {
  let name: String
  /// Nobody but the user starts a program without a daemon.
  let launch = Launch(.user)
  let suspension = Suspension.none
  /// The alarm of the application's own loop does it.
  let wakesMachine = false
  private var engine: Engine
  private let app: AppID
  private let now: () -> Moment
  private let wallClock: () -> Int64
  private let suspensionChanged: (Bool) -> Void
  private var notices: [LinkNotice] = []
  private var freeze: Ticket?
  private(set) var isUp = true
  private(set) var isSuspended = false

  /// `suspensionChanged` is called whenever the handlers are suspended or may run again.
  init(
    policy: Policy, registration: Registration, now: @escaping () -> Moment, wallClock: @escaping () -> Int64,
    suspensionChanged: @escaping (Bool) -> Void
  ) throws(LullError) {
    name = registration.name
    self.now = now
    self.wallClock = wallClock
    self.suspensionChanged = suspensionChanged
    var policy = policy
    // No time to settle is needed: the program tells that it has finished between two handlers, not on its
    // way into a wait.
    policy.settlingTime = .zero
    var engine = Engine(policy: policy)
    var effects: [Effect] = []
    let start = now()
    // A clock that is told later would be one that somebody has set.
    engine.handle(.wallClock(offset: wallClock() - start.nanoseconds), at: start, effects: &effects)
    let answer = engine.handle(.register(registration), at: start, effects: &effects)
    guard case .registered(let id, _) = answer else { throw .ended }
    self.engine = engine
    app = id
    perform(effects)
  }

  var deadline: Moment? { engine.deadline }
  var alarm: Moment? { engine.alarm }
  var hasWork: Bool { !notices.isEmpty || freeze != nil }

  func nextNotice() -> LinkNotice? { notices.isEmpty ? nil : notices.removeFirst() }

  func ask(_ request: Request, descriptor: Int32?) throws(LullError) -> Engine.Answer {
    // Nobody keeps the lines of a program without a daemon.
    if case .lineState = request { return .done }
    guard isUp else { throw .ended }
    return try answered(handle(try self.request(for: request)))
  }

  func tell(_ request: Request, descriptor: Int32?) {
    guard isUp else { return }
    switch request {
    case .did(let ticket): handle(.did(app, ticket))
    case .done(let ticket): handle(.done(app, ticket))
    case .handling(let ticket): handle(.handling(app, ticket))
    case .fetched(let ticket, let result): handle(.fetched(app, ticket, result))
    case .release(let line): _ = handle(.release(app, line))
    case .wakeIn(let time): _ = handle(.wakeIn(app, time))
    case .endTask(let task): _ = handle(.endTask(app, task))
    case .background: _ = handle(.transition(app, .background))
    case .foreground: _ = handle(.transition(app, .foreground))
    case .bye: handle(.leave(app))
    // Only a daemon is handed lines, and has sessions of sound.
    default: break
    }
  }

  func choose(_ notification: NotificationID, _ action: String) throws(LullError) {
    _ = try answered(handle(.answer(notification, action: action)))
  }

  private func answered(_ answer: Engine.Answer) throws(LullError) -> Engine.Answer {
    if case .refused(let refusal) = answer { throw LullError(refusal) }
    return answer
  }

  func elapse(at now: Moment, resume: ApplicationState) {
    guard let deadline = engine.deadline, deadline <= now else { return }
    inTurn { engine, now, effects in
      if !engine.overdue(at: now).isEmpty, (try? Process.tracer(of: Identity.pid())) ?? nil != nil {
        engine.handle(.traced(app), at: now, effects: &effects)
      }
      engine.handle(.tick, at: now, effects: &effects)
    }
  }

  func ready(_ line: LineID, _ readiness: LineReadiness) {
    handle(.ready(app, line, readiness))
  }

  func fallAsleep(readyLine: () -> (LineID, LineReadiness)?) {
    guard let ticket = freeze, notices.isEmpty else { return }
    freeze = nil
    if let (line, readiness) = readyLine() {
      handle(.ready(app, line, readiness))
    } else {
      suspend(true)
      // The handlers stand still between two turns of the loop: there is nothing to observe.
      handle(.observed(app, ticket, Observation()))
    }
  }

  private func repetition(_ rule: RepeatRule?, _ zone: String?) throws(LullError) -> Repetition? {
    switch rule {
    case nil: return nil
    case .every(let interval): return .every(interval)
    case .calendar(let unit):
      let bytes = try? ZoneFile.read(zone)
      guard let rules = bytes.flatMap({ ZoneRules(name: zone, file: $0) }) ?? (zone == nil ? .utc() : nil)
      else {
        throw .refused("no time zone \"\(zone ?? "")\"")
      }
      return .calendar(unit, rules)
    }
  }

  func notifications(all: Bool) throws(LullError) -> [SupervisedNotification] {
    let offset = wallClock() - now().nanoseconds
    return engine.notifications.filter { all || $0.fires != nil }.map { view in
      var (rule, zone): (RepeatRule?, String?) = (nil, nil)
      switch view.repeats {
      case .every(let interval): rule = .every(interval)
      case .calendar(let unit, let rules): (rule, zone) = (.calendar(unit), rules.name)
      case nil: break
      }
      return SupervisedNotification(
        id: view.id, content: view.content, date: view.fires.map { Double($0.nanoseconds + offset) / 1e9 },
        repeats: rule, zone: zone)
    }
  }

  private func request(for request: Request) throws(LullError) -> Engine.Request {
    switch request {
    case .hold(let hold): return .hold(app, hold.type ?? .voip, hold.offload)
    case .keepalive(let keepAlive):
      return .keepAlive(
        app, keepAlive?.timeout, lastRun: keepAlive?.lastRunNanoseconds.map { Moment(nanoseconds: $0) },
        since: keepAlive?.sinceNanoseconds.map { Moment(nanoseconds: $0) })
    case .fetch(let interval, let since):
      return .fetch(app, interval, since: since.map { Moment(nanoseconds: $0) })
    case .beginTask(let name): return .beginTask(app, name: name)
    case .remaining: return .remaining(app)
    case .present(let content, let old): return .present(app, content, replaces: old)
    case .schedule(let schedule):
      return .schedule(
        app, schedule.notification, schedule.date,
        repeats: try repetition(schedule.repeats, schedule.zone))
    case .cancel(let notification): return .cancel(app, notification)
    // There is no lull-audio without the daemon.
    default:
      throw .daemonUnavailable("sound needs the daemon, and this program supervises itself: start lulld")
    }
  }

  private func handle(_ event: Event) {
    inTurn { engine, now, effects in engine.handle(event, at: now, effects: &effects) }
  }

  private func handle(_ request: Engine.Request) -> Engine.Answer {
    inTurn { engine, now, effects in engine.handle(request, at: now, effects: &effects) }
  }

  private func inTurn<Result>(_ body: (inout Engine, Moment, inout [Effect]) -> Result) -> Result {
    var effects: [Effect] = []
    let now = now()
    engine.handle(.wallClock(offset: wallClock() - now.nanoseconds), at: now, effects: &effects)
    let result = body(&engine, now, &effects)
    perform(effects)
    return result
  }

  private func perform(_ effects: [Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .freeze(_, let ticket): freeze = ticket
    case .watch(_, let ticket, _): handle(.frozen(app, ticket))
    case .thaw:
      freeze = nil
      suspend(false)
    case .deliver(_, let message, let ticket): notices.append(.told(.deliver(message, ticket)))
    case .woke(_, let wake, let ticket): notices.append(.told(.wake(ticket, wake.reason)))
    case .runKeepAlive(_, let ticket): notices.append(.told(.keepAlive(ticket)))
    case .runFetch(_, let ticket): notices.append(.told(.fetch(ticket)))
    case .expire(_, let task): notices.append(.told(.expire(task)))
    case .show(let id, _, let content): notices.append(.show(id, content))
    case .changed(_, let news): notices.append(.told(.changed(news)))
    case .receive(_, let id, let content): notices.append(.told(.received(id, content)))
    case .action(_, let id, let action, let ticket): notices.append(.told(.action(ticket, id, action)))
    case .open(_, let url, let ticket): notices.append(.told(.open(ticket, url)))
    case .kill(_, let reason):
      isUp = false
      notices.append(.killed(reason))
    case .forget: isUp = false
    // Nothing outlives the program, and nothing is installed.
    case .record, .drop, .recordPermission, .launch, .giveUpLaunch, .recordInstalled: break
    // It shares its process with the engine, whose policy says nothing of processes.
    case .compact, .checkLocks, .checkSignals, .weigh: break
    // An application that supervises itself sees to its memory itself.
    case .measure, .warnMemory, .restPressure, .keepLines: break
    // No ping is answered for the program, no ready line is put aside, it is no command, it has no audio
    // sessions, and `choose` reports a notification that is gone.
    // Nobody pushes anything to it.
    case .withdraw, .push, .answerPing, .keepPathsOpen, .exempt, .terminate, .order, .interruption, .route,
      .note:
      break
    }
  }

  private func suspend(_ suspended: Bool) {
    guard suspended != isSuspended else { return }
    isSuspended = suspended
    suspensionChanged(suspended)
  }
}
