import LullEngine

/// A process with the library in it, or a plain command. It does only what a program could do: it
/// sees what the daemon tells it, sends messages while it runs, closes descriptors and ends.
final class FakeProgram {
  typealias Plan = (after: Interval, deed: Deed)

  let number: Int
  /// Distinguishes the processes that have had this number.
  let life: Int
  private(set) var registration: Registration
  let temper: Temper
  let cell = FakeCell()
  /// How its threads wait, when it is a command.
  var waits = FakeWaits()
  var isAlive = true
  /// Its id while it is registered.
  var app: AppID?
  var sessions: [FakeSession] = []
  /// It was said to be heard.
  var told: Set<SoundScope> = []
  /// What it would have done, had it not been frozen.
  var delayed: [Deed] = []

  private(set) var tasks: [TaskID] = []
  private(set) var notifications: [NotificationID] = []
  private(set) var lastTicket = Ticket(0)
  private(set) var keepAlive: (timeout: Interval, lastRun: Moment?, since: Moment)?
  private(set) var isActive = false
  /// It uses the library; a command may begin to, and stop.
  private(set) var speaks: Bool
  private var asks: [(request: RequestID, ask: Ask)] = []
  private var requests: UInt64 = 0

  init(number: Int, life: Int, registration: Registration, temper: Temper) {
    self.number = number
    self.life = life
    self.registration = registration
    self.temper = temper
    speaks = registration.speaks
  }

  /// The daemon looks whether it is idle, because it says nothing by itself.
  var isLookedAt: Bool { !speaks && registration.sleepsByItself }

  /// A new request; its number names this process, so that a late answer is not taken for another's.
  func ask(_ ask: Ask) -> RequestID {
    requests += 1
    let request = RequestID(UInt64(number) << 48 | UInt64(life) << 32 | requests)
    asks.append((request, ask))
    return request
  }

  func asked(_ request: RequestID) -> Bool {
    request.number >> 32 == UInt64(number) << 16 | UInt64(life)
  }

  /// The daemon's answer. Returns what the program plans after it.
  func answered(
    _ request: RequestID, _ answer: Answer, _ chance: inout Chance, at now: Moment
  ) -> [Plan] {
    guard let index = asks.firstIndex(where: { $0.request == request }) else { return [] }
    let ask = asks.remove(at: index).ask
    switch (ask, answer) {
    case (.register, .registered(let app, let state)):
      self.app = app
      told = []
      isActive = state == .active
      return [(.zero, .act)] + reinstall(app)
    case (.adopt(let library), .registered):
      if registration.isGuest { registration = library }
      // What the daemon found in it is looked for no more.
      if !speaks { cell.lines.removeAll() }
      speaks = true
    case (.find(let kind, let listens, let isFull), .line(let id)):
      cell.lines.append(
        FakeLine(id: id, kind: kind, offload: [], listens: listens, isFull: isFull))
    case (.hold(let kind, let offload, let listens), .line(let id)):
      cell.lines.append(FakeLine(id: id, kind: kind, offload: offload, listens: listens))
    case (.release(let id), .done):
      cell.lines.removeAll { $0.id == id }
    case (.keepAlive(let timeout), .done):
      keepAlive = timeout.map { ($0, keepAlive?.lastRun, keepAlive?.since ?? now) }
    case (.openSession(let declared), .session(let id)):
      sessions.append(FakeSession(id: id, declared: declared))
    case (.endSession(let id), .done): sessions.removeAll { $0.id == id }
    case (.begin(let forgets), .task(let id, _)):
      tasks.append(id)
      guard let app, !forgets else { return [] }
      return [(chance.around(.seconds(10)), .say(.endTask(app, id, self.ask(.end(id)))))]
    case (.end(let id), .done):
      tasks.removeAll { $0 == id }
    case (.notify, .notification(let id)):
      notifications.append(id)
      if notifications.count > 8 { notifications.removeFirst() }
    default: break
    }
    return []
  }

  /// One that was registered before brings its keep-alive along.
  private func reinstall(_ app: AppID) -> [Plan] {
    guard let (timeout, lastRun, since) = keepAlive else { return [] }
    let request = ask(.keepAlive(timeout))
    return [(.zero, .say(.keepAlive(app, timeout, lastRun: lastRun, since: since, request)))]
  }

  /// An effect that concerns the program reached it.
  func reached(by effect: Effect, _ chance: inout Chance, at now: Moment) -> [Plan] {
    guard let app else { return [] }
    switch effect {
    case .woke where !speaks, .runKeepAlive where !speaks:
      // It does what it does and says nothing.
      return chance.happens(temper.deadly) ? [(chance.upTo(.seconds(2)), .exit)] : []
    case .deliver(_, let message, let ticket): return delegate(message, ticket, app, &chance)
    case .woke(_, let wake, let ticket): return woke(wake, ticket, app, &chance)
    case .runKeepAlive(_, let ticket):
      keepAlive?.lastRun = now
      return finish(ticket, app, &chance, within: .seconds(3))
    case .expire(_, let task):
      guard tasks.contains(task), !chance.happens(temper.bad) else { return [] }
      return [(chance.upTo(temper.latency), .say(.endTask(app, task, ask(.end(task)))))]
    case .terminate:
      return chance.happens(temper.bad) ? [] : [(chance.around(temper.latency), .exit)]
    case .action where chance.happens(200):
      return [(temper.latency, .say(.beginTask(app, name: "answer", ask(.begin(forgets: false)))))]
    default: return []
    }
  }

  private func delegate(
    _ message: DelegateMessage, _ ticket: Ticket, _ app: AppID, _ chance: inout Chance
  ) -> [Plan] {
    lastTicket = max(lastTicket, ticket)
    if message == .didBecomeActive { isActive = true }
    if message == .willResignActive { isActive = false }
    let latency = chance.upTo(temper.latency)
    let did = Plan(latency, .say(.did(app, ticket)))
    if chance.happens(temper.deadly) { return [(latency, .exit)] }
    if chance.happens(temper.bad) { return misbehave(ticket, did, app, &chance) }
    switch message {
    case .willTerminate where chance.happens(700): return [did, (latency + temper.latency, .exit)]
    case .didEnterBackground:
      let task = Plan(.zero, .say(.beginTask(app, name: "upload", ask(.begin(forgets: false)))))
      let done = finish(ticket, app, &chance, within: .seconds(1))
      return chance.happens(300) ? [task, did] + done : [did] + done
    default: return [did]
    }
  }

  private func misbehave(_ ticket: Ticket, _ did: Plan, _ app: AppID, _ chance: inout Chance) -> [Plan] {
    let stale = Plan(.zero, .say(.did(app, Ticket(ticket.number &- 1))))
    let early = Plan(.zero, .say(.did(app, Ticket(ticket.number + 1))))
    switch chance.below(5) {
    case 0: return []
    case 1: return [(chance.upTo(.seconds(8)), did.deed)]
    case 2: return [stale, early, did]
    case 3: return [did, did]
    default: return [stale, (chance.upTo(.seconds(8)), .exit)]
    }
  }

  private func woke(_ wake: Wake, _ ticket: Ticket, _ app: AppID, _ chance: inout Chance) -> [Plan] {
    var plans = finish(ticket, app, &chance, within: .seconds(2))
    if chance.happens(100) {
      let forgets = chance.happens(temper.bad)
      plans.insert((.zero, .say(.beginTask(app, name: "fetch", ask(.begin(forgets: forgets))))), at: 0)
    }
    return plans
  }

  /// It says done with the ticket, unless it is bad or takes too long.
  private func finish(
    _ ticket: Ticket, _ app: AppID, _ chance: inout Chance, within longest: Interval
  ) -> [Plan] {
    lastTicket = max(lastTicket, ticket)
    if chance.happens(temper.deadly) { return [(chance.upTo(longest), .exit)] }
    guard chance.happens(temper.bad) else { return [(chance.upTo(longest), .say(.done(app, ticket)))] }
    switch chance.below(3) {
    case 0: return []
    case 1: return [(chance.upTo(longest), .say(.done(app, Ticket(ticket.number &- 1))))]
    default: return [(chance.upTo(.seconds(100)), .say(.done(app, ticket)))]
    }
  }

  /// A line ended under it: most programs close it, some do not look.
  func sawEnd(of lines: [LineID], _ chance: inout Chance) -> [Plan] {
    guard let app else { return [] }
    return lines.compactMap { line in
      if chance.happens(temper.bad) { return nil }
      let isQuiet = !speaks || chance.happens(300)
      let close = isQuiet ? Deed.close(line) : .say(.release(app, line, ask(.release(line))))
      return (chance.upTo(temper.latency), close)
    }
  }

  /// It said goodbye and goes on without the library; a command stays managed all the same.
  func left(isManaged: Bool) {
    if isManaged { speaks = false } else { app = nil }
    tasks = []
    notifications = []
    cell.lines = []
    if !isManaged { sessions = [] }
  }

  /// What it declares when it comes back after the daemon forgot it.
  func resumption() -> Registration {
    var registration = registration
    registration.resumes = isActive ? .active : .background
    return registration
  }
}
