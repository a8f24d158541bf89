import LullEngine

/// A process with the library in it, or a plain command. The process does only what a program could do: it
/// sees what the daemon tells it, sends messages while it runs, closes descriptors and ends.
final class FakeProgram {
  typealias Plan = (after: Interval, deed: Deed)

  let number: Int
  /// Distinguishes the processes that have had this number.
  let life: Int
  private(set) var registration: Registration
  let temper: Temper
  let cell = FakeCell()
  /// The waits of its threads, when the process is a command.
  var waits = FakeWaits()
  var isAlive = true
  var app: AppID?
  var sessions: [FakeSession] = []
  /// The scopes in which the program was reported as sounding.
  var told: Set<AudioScope> = []
  var delayed: [Deed] = []

  private(set) var tasks: [TaskID] = []
  private(set) var notifications: [NotificationID] = []
  private(set) var lastTicket = Ticket(0)
  private(set) var keepAlive: (timeout: Interval, lastRun: Moment?, since: Moment)?
  private(set) var isActive = false
  /// True when the process uses the library; a command may begin to, and stop.
  private(set) var speaks: Bool

  init(number: Int, life: Int, registration: Registration, temper: Temper) {
    self.number = number
    self.life = life
    self.registration = registration
    self.temper = temper
    speaks = registration.speaks
  }

  /// True when the daemon observes the program to see whether it is idle, because the program says nothing by
  /// itself.
  var isObserved: Bool { !speaks && registration.sleepsByItself }

  /// The daemon's answer. Returns what the program plans after it.
  func answered(
    _ ask: Ask, with answer: Engine.Answer, chance: inout Chance, at now: Moment
  ) -> [Plan] {
    switch (ask, answer) {
    case (.register, .registered(let app, let state)):
      self.app = app
      told = []
      isActive = state == .active
      return [(.zero, .act)] + reinstall(app)
    case (.adopt(let library), .registered):
      if registration.isUnmanaged { registration = library }
      // The daemon no longer searches the program for descriptors.
      if !speaks { cell.lines.removeAll() }
      speaks = true
    case (.find(let kind, let listens, let isFull), .line(let id)):
      cell.lines.append(
        FakeLine(id: id, kind: kind, offload: [], listens: listens, isFull: isFull))
    case (.hold(let kind, let offload, let listens), .line(let id)):
      var line = FakeLine(id: id, kind: kind, offload: offload, listens: listens)
      // The thread that is to read it is stuck, and another one says `done` all the same.
      line.isLeaked = chance.happens(temper.bad)
      cell.lines.append(line)
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
      return [(chance.around(.seconds(10)), .ask(.endTask(app, id), .end(id)))]
    case (.end(let id), .done):
      tasks.removeAll { $0 == id }
    case (.notify, .notification(let id)):
      notifications.append(id)
      if notifications.count > 8 { notifications.removeFirst() }
    default: break
    }
    return []
  }

  /// A program that was registered before brings its keep-alive along.
  private func reinstall(_ app: AppID) -> [Plan] {
    guard let (timeout, lastRun, since) = keepAlive else { return [] }
    return [(.zero, .ask(.keepAlive(app, timeout, lastRun: lastRun, since: since), .keepAlive(timeout)))]
  }

  /// An effect that concerns the program reached it.
  func reached(by effect: Effect, _ chance: inout Chance, at now: Moment) -> [Plan] {
    guard let app else { return [] }
    switch effect {
    case .woke where !speaks, .runKeepAlive where !speaks, .runFetch where !speaks:
      // A command acts on the signal and says nothing.
      return chance.happens(temper.deadly) ? [(chance.upTo(.seconds(2)), .exit)] : []
    case .deliver(_, let message, let ticket):
      return delegate(message, ticket: ticket, app: app, chance: &chance)
    case .woke(_, let wake, let ticket): return woke(wake, ticket: ticket, app: app, chance: &chance)
    case .runKeepAlive(_, let ticket):
      keepAlive?.lastRun = now
      return finish(ticket, app: app, chance: &chance, within: .seconds(3))
    case .runFetch(_, let ticket), .push(_, _, let ticket):
      let result = chance.pick(BackgroundFetchResult.allCases)
      guard !chance.happens(temper.bad) else { return [] }
      return [(chance.upTo(.seconds(20)), .say(.fetched(app, ticket, result)))]
    case .expire(_, let task):
      // So few get here that a bad one mostly lets its time run out.
      guard tasks.contains(task), !temper.hoardsTasks, !chance.happens(temper.bad * 5) else { return [] }
      return [(chance.upTo(temper.latency), .ask(.endTask(app, task), .end(task)))]
    case .terminate:
      return chance.happens(temper.bad) ? [] : [(chance.around(temper.latency), .exit)]
    case .action where chance.happens(200):
      return [(temper.latency, .ask(.beginTask(app, name: "answer"), .begin(forgets: false)))]
    default: return []
    }
  }

  private func delegate(
    _ message: DelegateMessage, ticket: Ticket, app: AppID, chance: inout Chance
  ) -> [Plan] {
    lastTicket = max(lastTicket, ticket)
    if message == .didBecomeActive { isActive = true }
    if message == .willResignActive { isActive = false }
    let latency = chance.upTo(temper.latency)
    let did = Plan(latency, .say(.did(app, ticket)))
    if chance.happens(temper.deadly) { return [(latency, .exit)] }
    if chance.happens(temper.bad) { return misbehave(ticket, did: did, app: app, chance: &chance) }
    switch message {
    case .willTerminate where chance.happens(700): return [did, (latency + temper.latency, .exit)]
    case .didEnterBackground:
      let task = Plan(.zero, .ask(.beginTask(app, name: "upload"), .begin(forgets: temper.hoardsTasks)))
      let done = finish(ticket, app: app, chance: &chance, within: .seconds(1))
      return temper.hoardsTasks || chance.happens(300) ? [task, did] + done : [did] + done
    default: return [did]
    }
  }

  private func misbehave(_ ticket: Ticket, did: Plan, app: AppID, chance: inout Chance) -> [Plan] {
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

  private func woke(_ wake: Wake, ticket: Ticket, app: AppID, chance: inout Chance) -> [Plan] {
    var plans = finish(ticket, app: app, chance: &chance, within: .seconds(2))
    if chance.happens(100) {
      let forgets = chance.happens(temper.bad)
      plans.insert((.zero, .ask(.beginTask(app, name: "fetch"), .begin(forgets: forgets))), at: 0)
    }
    return plans
  }

  /// The program says `done` with the ticket, unless it is bad or takes too long.
  private func finish(
    _ ticket: Ticket, app: AppID, chance: inout Chance, within longest: Interval
  ) -> [Plan] {
    lastTicket = max(lastTicket, ticket)
    let longest = cell.lines.contains(where: \.isLeaked) ? .zero : longest
    if chance.happens(temper.deadly) { return [(chance.upTo(longest), .exit)] }
    guard chance.happens(temper.bad) else { return [(chance.upTo(longest), .say(.done(app, ticket)))] }
    switch chance.below(3) {
    case 0: return []
    case 1: return [(chance.upTo(longest), .say(.done(app, Ticket(ticket.number &- 1))))]
    default: return [(chance.upTo(.seconds(100)), .say(.done(app, ticket)))]
    }
  }

  /// A line of the program ended: most programs close it, some do not notice.
  func sawEnd(of lines: [LineID], _ chance: inout Chance) -> [Plan] {
    guard let app else { return [] }
    return lines.compactMap { line in
      if chance.happens(temper.bad) { return nil }
      let isQuiet = !speaks || chance.happens(300)
      let close = isQuiet ? Deed.close(line) : .ask(.release(app, line), .release(line))
      return (chance.upTo(temper.latency), close)
    }
  }

  /// The program said goodbye and goes on without the library; a command stays managed all the same.
  func left(isManaged: Bool) {
    if isManaged { speaks = false } else { app = nil }
    tasks = []
    notifications = []
    cell.lines = []
    if !isManaged { sessions = [] }
  }

  /// The declaration with which the program comes back after the daemon forgot it.
  func resumption() -> Registration {
    var registration = registration
    registration.resumes = isActive ? .active : .background
    return registration
  }
}
