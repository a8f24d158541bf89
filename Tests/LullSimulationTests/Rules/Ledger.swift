import LullEngine

/// The trace read as a whole: every rule goes by the ledger, so the ledger is made from events and effects
/// alone.
final class Ledger {
  let policy: Policy
  /// The longest delay of a tick.
  let lateness: Interval
  private(set) var now = Moment(nanoseconds: 0)
  private(set) var input = Input.event(.tick)
  private(set) var records: [Record?] = []
  private var generations: [UInt32?] = []
  /// The origin of the line that is lost in this step.
  private(set) var lostOrigin: LineOrigin?
  private(set) var isLocked = false
  /// The installed programs; false for one whose file cannot be used.
  var launchable: [String: Bool] = [:]
  /// What the user has said of programs that record, by their names.
  private(set) var recordings: [String: RecordingPermission] = [:]
  /// The machine is about to sleep, or the session is locked: the user sees no program.
  var isDark: Bool { isLocked || isAboutToSleep }

  /// Behind the lock this program is in the background.
  func goesBehindLock(_ record: Record) -> Bool {
    isLocked && record.registration.speaks && !record.registration.settings.exitsOnSuspend
      && record.sounds.isEmpty
  }
  private var isAboutToSleep = false
  var lastRank: UInt64 = 0

  init(policy: Policy, lateness: Interval = .zero) {
    self.policy = policy
    self.lateness = lateness
  }

  /// The program, unless it was forgotten.
  subscript(app: AppID) -> Record? {
    guard Int(app.slot) < records.count, let record = records[Int(app.slot)], record.id == app else {
      return nil
    }
    return record
  }

  /// True when the id was given out once, whether or not the program is still there.
  func wasGivenOut(_ app: AppID) -> Bool {
    guard Int(app.slot) < generations.count, let last = generations[Int(app.slot)] else { return false }
    return app.generation <= last
  }

  var event: Event? { input.event }
  var request: Engine.Request? { input.request }

  func begin(_ input: Input, at now: Moment) {
    self.now = now
    self.input = input
    lostOrigin = nil
    // What ended while the machine was suspended has not ended for the programs.
    if case .event(.stoodStill) = input { return }
    timeTasks()
  }

  func take(_ input: Input) {
    if let event = input.event { take(event) }
    input.app.map { self[$0]?.timeTasks(at: now) }
  }

  private func take(_ event: Event) {
    switch event {
    case .did(let app, let ticket): self[app].map { returned($0, ticket) }
    case .done(let app, let ticket): self[app].map { done($0, ticket) }
    case .handling(let app, let ticket): self[app].map { handling($0, ticket) }
    case .fetched(let app, let ticket, _):
      guard let record = self[app],
        record.fetch?.ticket == ticket || record.pushes.contains(where: { $0.ticket == ticket })
      else { return }
      if record.fetch?.ticket == ticket { record.fetch = nil }
      record.pushes.removeAll { $0.ticket == ticket }
      settlesDown(record)
    case .frozen(let app, let ticket):
      guard let record = self[app], record.isStaying, case .freezing(ticket, _) = record.hold else { return }
      // A trial is taken back in the same step.
      if !record.isOnTrial { fellAsleep(record) }
    case .observed(let app, let ticket, let observation):
      guard let record = self[app], record.isStaying, case .freezing(ticket, _) = record.hold else { return }
      record.sees(observation, policy)
      setFloor(of: record, by: record.lookCost + observation.cost)
    case .looked(let app, let ticket, let look):
      guard let record = self[app], record.isStaying, case .freezing(ticket, _) = record.hold else { return }
      record.lookCost = look.cost
      record.hold = .freezing(ticket, since: now)
      setFloor(of: record, by: look.cost)
    case .freezeRefused(let app, let ticket, _, let retryAfter, _):
      guard let record = self[app], case .freezing(ticket, _) = record.hold else { return }
      record.retryAfter = retryAfter
    case .lineLost(let app, let line):
      lostOrigin = self[app]?.lines.first { $0.id == line && $0.hasSlept }?.origin
      self[app]?.lines.removeAll { $0.id == line }
    case .pingAnswered(let app, let line):
      guard let index = self[app]?.lines.firstIndex(where: { $0.id == line }) else { return }
      self[app]?.lines[index].answers.append(now)
    case .lineForgotten(let app, let line): self[app]?.lines.removeAll { $0.id == line }
    case .ending(let app), .signalled(let app):
      // Somebody sends the program a signal; an end after that says nothing about the trial.
      if let record = self[app], record.isStaying { record.trial = .over }
    case .sound(let app, let session, let report):
      self[app].map { soundReported($0, session: session, report: report) }
    case .audibility(let app, let scope, let report):
      self[app].map { heard($0, scope: scope, report: report) }
    case .routeChanged, .reconnect, .childEnded, .unfrozen, .ready, .leave, .letGo, .exited, .tick,
      .wallClock,
      .compacted, .lockAwaited, .signalDue:
      break
    case .surrounding(.lock(let isOn)): isLocked = isOn
    case .surrounding(.sleep(let begins)): isAboutToSleep = begins
    case .surrounding, .accessory, .pressure, .sizes, .linesWait, .linesReady, .linesTaken: break
    case .traced(let app):
      if let record = self[app] { record.putOff(to: now + policy.tracedLook, at: now, policy) }
    case .stoodStill(let time):
      for case let record? in records { record.standStill(time) }
      timeTasks()
    }
  }

  private func setFloor(of record: Record, by cost: Interval) {
    let crowd = max(1, Int64(records.count { $0 != nil }) / policy.observationCrowd)
    let wait = cost.scaled(by: policy.observationShare).scaled(by: crowd)
    record.observationFloor = now + min(wait, policy.observationPause)
  }

  private func returned(_ record: Record, _ ticket: Ticket) {
    guard let message = record.message, message.ticket == ticket, !record.isKilled else { return }
    record.message = nil
    switch message.message {
    case .didFinishLaunching: record.isLaunched = true
    case .didEnterBackground:
      if record.registration.launch == .background, !record.hasEnteredBackground {
        record.wake = Record.Lease(ends: now + policy.wakeRunTime, ticket: ticket)
      }
      record.hasEnteredBackground = true
    default: break
    }
  }

  private func done(_ record: Record, _ ticket: Ticket) {
    if let wake = record.wake, wake.ticket <= ticket { record.wake = nil }
    if let run = record.keepAliveRun, run.ticket <= ticket { record.keepAliveRun = nil }
    // A program that is still suspended is thawed for what it says.
    let isBehind = record.state == .background || record.state == .suspended
    record.isAtMessageBoundary =
      isBehind && record.wake == nil && record.keepAliveRun == nil && record.tasks.isEmpty
      && record.fetch == nil && record.pushes.isEmpty
    settles(record)
  }

  private func handling(_ record: Record, _ ticket: Ticket) {
    // A program that is still suspended is thawed for what it says.
    let isBehind = record.state == .background || record.state == .suspended
    guard record.isStaying, isBehind, !record.registration.sleepsByItself, record.wake == nil else { return }
    record.isAtMessageBoundary = false
    record.wake = Record.Lease(ends: now + policy.wakeRunTime, ticket: ticket)
  }

  /// Leaves the program the time to get from its `done` to its wait.
  func settles(_ record: Record) {
    if record.isAtMessageBoundary { settlesDown(record) }
  }

  private func settlesDown(_ record: Record) {
    let moment = now + policy.settlingTime
    record.wait = Record.Wait(
      from: max(record.wait?.from ?? moment, moment), by: max(record.wait?.by ?? moment, moment))
  }

  private func fellAsleep(_ record: Record) {
    record.hold = .frozen
    (record.asleepSince, record.stoodAsleep) = (now, .zero)
    if record.pathsOpened == .never { record.pathsOpened = now }
    for index in record.lines.indices { record.lines[index].hasSlept = true }
    (record.wake, record.keepAliveRun, record.wait) = (nil, nil, nil)
    (record.fetch, record.pushes) = (nil, [])
    record.refusals = 0
    guard let woken = record.refill.wokenAt else { return }
    let rest = min(now - woken, policy.silentRefillTime).scaled(by: policy.silentRefillShare)
    (record.refill.wokenAt, record.refill.next) = (nil, min(record.refill.next, now + rest))
  }

  func timeTasks() {
    for case let record? in records { record.timeTasks(at: now) }
  }

  func refused(_ record: Record) {
    waitsLonger(record)
    // A look freezes nothing; another program's may find this one's freeze overdue.
    if case .looked(record.id, _, _) = event { return }
    if record.isOnTrial { record.trial = .watched(now) }
  }

  /// The wait after a refusal doubles with each refusal, and is not shorter than the shell says.
  func waitsLonger(_ record: Record) {
    let isObservation = record.registration.sleepsByItself
    let first = isObservation ? policy.idleFirst : policy.freezeRetryFirst
    let longest = isObservation ? policy.idleLast : policy.freezeRetryLast
    let wait = min(first.scaled(by: 1 << min(record.refusals, 30)), longest)
    let moment = now + max(wait, record.retryAfter ?? .zero)
    // The time that the engine's reason takes to go away is the engine's own affair, within bounds.
    let longestReason =
      isObservation
      ? max(
        policy.hopelessRetry, policy.queryTime + policy.idleFirst, policy.quiet,
        policy.tick + policy.idleFirst, record.registration.settings.linger ?? policy.linger) : .zero
    record.wait = nil
    record.waits(from: moment, by: max(moment, now + longestReason))
    record.retryAfter = nil
    record.refusals += 1
  }

  /// The first freeze was complete and has been taken back.
  func tried(_ record: Record) {
    // The cost of looking at it does not put off its first sleep.
    let moment = now + policy.trialObservation
    record.wait = Record.Wait(from: moment, by: moment)
    record.refusals = 0
    record.trial = .watched(now)
  }

  func add(_ record: Record) {
    let slot = Int(record.id.slot)
    while records.count <= slot {
      records.append(nil)
      generations.append(nil)
    }
    records[slot] = record
    generations[slot] = record.id.generation
  }

  func remove(_ app: AppID) {
    guard self[app] != nil else { return }
    records[Int(app.slot)] = nil
  }
}

extension Event {
  /// True when a line, or the end of one, is told.
  var isOfLine: Bool {
    switch self {
    case .ready, .lineLost: true
    default: false
    }
  }
}

extension Ledger {
  func take(_ effect: Effect) {
    defer { (effect.app ?? input.app).map { self[$0]?.timeTasks(at: now) } }
    switch effect {
    case .freeze(let app, let ticket): self[app]?.hold = .freezing(ticket, since: now)
    case .thaw(let app): self[app].map(thawed)
    case .deliver(let app, let message, let ticket): self[app].map { delivered($0, message, ticket: ticket) }
    case .woke(let app, let wake, let ticket): self[app].map { woke($0, wake, ticket: ticket) }
    case .runKeepAlive(let app, let ticket): self[app].map { ran($0, ticket) }
    case .runFetch(let app, let ticket): self[app].map { fetches($0, ticket) }
    case .push(let app, _, let ticket): self[app].map { pushed($0, ticket) }
    case .note(let app?, .errandEnded(.fetch, _, after: _)): self[app]?.fetch = nil
    case .note(let app?, .errandEnded):
      self[app]?.pushes.removeAll { $0.ends <= now }
    case .expire(let app, let task):
      guard let record = self[app], let index = record.tasks.firstIndex(where: { $0.id == task }) else {
        return
      }
      record.tasks[index].isExpired = true
      record.stayEnds = record.stayEnds.map { max($0, now + policy.expirationLead) }
    case .terminate(let app):
      let isQuit = if case .transition(app, .quit) = request { true } else { false }
      let isPurge = self[app]?.ending?.reason == .purged
      self[app]?.ending = (now, isQuit ? .quit : isPurge ? .purged : .exitsOnSuspend)
    case .kill(let app, _): self[app].map(killed)
    case .forget(let app): remove(app)
    case .note(let app?, .state(let state)): self[app].map { entered($0, state) }
    case .note(let app?, .left): self[app].map(fellBack)
    case .note(let app?, .freezeRefused(let why, _)):
      self[app].map(refused)
      if why == .cutOff { self[app]?.runsOut(now, policy) }
    case .note(let app?, .freezeTakenBack):
      // Another program's freeze can be taken back in the same step: its keep-alive is due.
      if event?.isOfLine == true, input.app == app { self[app].map(waitsLonger) }
    case .note(let app?, .trialFrozen): self[app].map(tried)
    case .note(let app?, .purged(_, isAsked: true)): self[app]?.ending = (now, .purged)
    case .keepPathsOpen(let app): self[app]?.pathsOpened = now
    case .note(let app?, .wakeDelayed(_, let wait)): self[app]?.delayedUntil = now + wait
    case .note(let app?, .leaseEnded(let kind, _)): self[app].map { leaseEnded($0, kind) }
    case .note(let app?, .interrupted(let session, let change)):
      self[app].map { interrupted($0, session: session, change: change) }
    case .order(let app, let session, let order):
      self[app].map { ordered($0, session: session, order: order) }
    case .action(let app, _, _, let ticket), .open(let app, _, let ticket): self[app]?.wake?.ticket = ticket
    case .recordPermission(let entry):
      recordings[entry.name] = entry.permission
      for case let record? in records where record.registration.name == entry.name {
        record.isRecordingDenied = entry.permission == .denied
      }
    case .watch, .compact, .checkLocks, .checkSignals, .weigh, .interruption, .route, .changed, .answerPing,
      .exempt, .measure, .warnMemory, .restPressure, .keepLines, .show, .withdraw, .record, .drop, .launch,
      .giveUpLaunch, .recordInstalled, .receive, .note:
      break
    }
  }

  private func thawed(_ record: Record) {
    switch record.hold {
    case .frozen:
      record.wakes.append(now)
      record.wakeCount += 1
      if record.wakes.count > policy.wakeBudget + 1 { record.wakes.removeFirst() }
      if let since = record.asleepSince { record.asleep = record.asleep + (now - since) }
      record.asleepSince = nil
      (record.stayEnds, record.stayLeft) = (now + policy.taskBudget(record.registration.profile), nil)
    case .freezing, .running: break
    }
    record.hold = .running
    record.wait = nil
    if case .done(record.id, _) = event { settles(record) }
    record.delayedUntil = nil
  }

  private func killed(_ record: Record) {
    record.isKilled = true
    record.delayedUntil = nil
    record.message = nil
    record.tasks = []
    (record.sounds, record.ears, record.lastCategory) = ([], [:], nil)
    (record.wake, record.keepAliveRun, record.keepAlive, record.fetch) = (nil, nil, nil, nil)
    record.pushes = []
  }
}
