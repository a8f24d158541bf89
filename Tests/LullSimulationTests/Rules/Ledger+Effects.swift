import LullEngine

extension Ledger {
  func take(_ effect: Effect) {
    defer { (effect.app ?? input.app).map { self[$0]?.timeTasks(at: now) } }
    switch effect {
    case .freeze(let app, let ticket): self[app]?.hold = .freezing(ticket, since: now)
    case .thaw(let app): self[app].map(thawed)
    case .deliver(let app, let message, let ticket): self[app].map { delivered($0, message, ticket: ticket) }
    case .woke(let app, let wake, let ticket): self[app].map { woke($0, wake, ticket: ticket) }
    case .runKeepAlive(let app, let ticket): self[app].map { ran($0, ticket) }
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
    case .note(let app?, .freezeRefused): self[app].map(refused)
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
    case .watch, .compact, .checkLocks, .weigh, .interruption, .route, .changed, .answerPing, .exempt,
      .measure, .warnMemory,
      .restPressure, .keepLines, .show,
      .withdraw, .keep, .drop, .launch, .keepInstalled, .receive, .note:
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

  private func delivered(_ record: Record, _ message: DelegateMessage, ticket: Ticket) {
    record.message = (message, ticket, now)
    switch message {
    case .willResignActive where record.registration.exitsOnSuspend && record.target == .background:
      if record.ending == nil { record.ending = (now, .exitsOnSuspend) }
    case .willTerminate:
      record.ending = (now, record.ending?.reason ?? .exitsOnSuspend)
    case .willEnterForeground: cameForward(record)
    default: break
    }
  }

  private func cameForward(_ record: Record) {
    (record.wake, record.keepAliveRun, record.wait) = (nil, nil, nil)
    record.isAtMessageBoundary = false
    record.refusals = 0
  }

  private func woke(_ record: Record, _ wake: Wake, ticket: Ticket) {
    record.isAtMessageBoundary = false
    if let line = wake.line, let index = record.lines.firstIndex(where: { $0.id == line }) {
      record.lines[index].lastReal = now
    }
    waitForObservation(record, wake.reason)
    switch event {
    case .ending(record.id), .signalled(record.id):
      record.waits(from: now + policy.linger, by: now + policy.linger)
    default: break
    }
    guard wake.reason != .keepalive else { return }
    let isLoss = isLoss(wake, record)
    let isEnding = if case .ending(record.id) = event { true } else { false }
    let kind: LeaseKind = wake.reason == .refill ? record.wake?.kind ?? .refill : .wake
    let usual = wake.reason == .refill ? refillTime(record) : policy.wakeRunTime
    let time = isLoss ? policy.lostConnectionGrace : isEnding ? endingTime(record) : usual
    if wake.reason == .closed || wake.reason == .error { lineEnded(wake.line, record) }
    record.wake = Record.Lease(
      ends: max(now + time, record.wake?.ends ?? now), ticket: ticket,
      isHeldUntilExpiry: isLoss || isEnding || record.wake?.isHeldUntilExpiry == true, kind: kind)
  }

  private func endingTime(_ record: Record) -> Interval {
    record.registration.sleepsByItself ? policy.endingTime : policy.wakeRunTime
  }

  /// A connection is lost once.
  private func lineEnded(_ line: LineID?, _ record: Record) {
    guard let index = record.lines.firstIndex(where: { $0.id == line }) else { return }
    record.lines[index].origin = .other
  }

  /// True when the wake is for a lost connection, or for one that may be lost. A command has nothing to make
  /// again when a connection that it accepted ends.
  private func isLoss(_ wake: Wake, _ record: Record) -> Bool {
    if wake.reason == .network || wake.reason == .resumed { return true }
    guard wake.reason == .closed || wake.reason == .error else { return false }
    guard record.registration.sleepsByItself else { return true }
    let line = record.lines.first { $0.id == wake.line }
    return (line?.origin ?? lostOrigin) == .opened
  }

  /// Sets the wait before the observation of a woken command: for input from outside a moment, else the time
  /// to linger.
  private func waitForObservation(_ record: Record, _ reason: WakeReason) {
    guard record.registration.sleepsByItself else { return }
    switch reason {
    case .timer: record.settles(now, policy)
    case .keepalive, .notification, .operator, .unfrozen, .network, .resumed, .url, .lock:
      record.lingers(now, policy)
    case .data, .accept, .accessory, .closed, .error, .child, .writable, .refill:
      record.waits(from: now + min(policy.idleFirst, policy.idleLast), by: now + policy.idleLast)
    }
  }

  private func ran(_ record: Record, _ ticket: Ticket) {
    record.isAtMessageBoundary = false
    record.lingers(now, policy)
    record.lastRun = now
    record.keepAliveRun = Record.Lease(ends: now + policy.keepAliveRunTime, ticket: ticket)
  }

  /// Ends a lease, unless the engine says so before the end of the lease.
  private func leaseEnded(_ record: Record, _ kind: LeaseKind) {
    switch kind {
    case .wake, .refill: if !record.holds(record.wake, at: now) { record.wake = nil }
    case .keepalive: if !record.holds(record.keepAliveRun, at: now) { record.keepAliveRun = nil }
    default: break
    }
  }

  private func killed(_ record: Record) {
    record.isKilled = true
    record.delayedUntil = nil
    record.message = nil
    record.tasks = []
    (record.sounds, record.ears, record.lastCategory) = ([], [:], nil)
    (record.wake, record.keepAliveRun, record.keepAlive) = (nil, nil, nil)
  }

  private func entered(_ record: Record, _ state: ApplicationState) {
    if case .transition = request, record.state == .active, !record.registration.speaks {
      record.wait = nil
      record.refusals = 0
    }
    if !record.isBehind { record.behindSince = now }
    record.state = state
    switch state {
    case .background where record.remaining(at: now) == nil:
      record.stayEnds = now + policy.taskBudget(record.registration.profile)
    case .inactive, .active:
      (record.stayEnds, record.stayLeft) = (nil, nil)
      for index in record.tasks.indices { record.tasks[index].isExpired = false }
      if case .leave = event { return }
      if !record.registration.speaks { cameForward(record) }
    default: break
    }
  }

  /// A command whose library connection closed goes on as a plain command.
  private func fellBack(_ record: Record) {
    record.pathsOpened = .never
    guard case .leave = event else { return }
    if let command = record.command { record.registration = command }
    record.registration.resumes = nil
    record.message = nil
    record.lines = []
    record.pathsOpened = .never
    record.tasks = []
    (record.wake, record.keepAliveRun, record.keepAlive) = (nil, nil, nil)
    record.isAtMessageBoundary = false
    record.wait = nil
    record.refusals = 0
    record.target = Record.target(record.registration)
    startedAsCommand(record)
  }

  private func startedAsCommand(_ record: Record) {
    record.isLaunched = true
    if record.registration.resumes != nil { record.trial = .over }
    if let timeout = record.registration.keepAlive {
      installed(
        record, timeout: timeout, told: record.registration.keepAliveLastRun,
        since: record.registration.keepAliveSince)
    }
    record.lingers(now, policy)
  }

  func take(_ answer: Engine.Answer) {
    guard let request else { return }
    defer { request.app.map { self[$0]?.timeTasks(at: now) } }
    switch (request, answer) {
    case (.register(let registration), .registered(let app, _)):
      let record = Record(id: app, registration: registration, now: now)
      record.isLaunched = registration.resumes != nil
      if !registration.speaks { startedAsCommand(record) }
      add(record)
    case (.adopt(let app, let registration), .registered):
      self[app].map { adopted($0, registration) }
    case (.hold(let app, let kind, let offload), .line(let id)):
      self[app]?.lines.append(Record.Line(id: id, kind: kind, offload: offload, lastReal: now))
    case (.lineFound(let app, let kind, let origin, _), .line(let id)):
      self[app]?.lines.append(Record.Line(id: id, kind: kind, offload: [], origin: origin, lastReal: now))
    case (.release(let app, let id), .done): self[app]?.lines.removeAll { $0.id == id }
    case (.keepAlive(let app, let timeout, let told, let since), .done):
      self[app].map { installed($0, timeout: timeout, told: told, since: since) }
    case (.beginTask(let app, _), .task(let id, _)):
      self[app]?.tasks.append(Record.Task(id: id))
      self[app]?.isAtMessageBoundary = false
    case (.endTask(let app, let id), .done): self[app]?.tasks.removeAll { $0.id == id }
    case (.openSession(let app, let session), .session(let id)):
      self[app]?.sounds.append(Record.Sound(id: id, session: session))
      self[app]?.opensSession(now, policy)
    case (.endSession(let app, let id), .done): self[app]?.ended(id)
    case (.transition(let app, let command), .done): self[app].map { commanded($0, command) }
    case (.uninstall(let name), .done):
      for case let record? in records where record.registration.name == name { uninstalled(record) }
    default: break
    }
  }

  private func adopted(_ record: Record, _ registration: Registration) {
    guard !record.registration.speaks else { return }
    let (name, modes) = (record.registration.name, record.registration.modes)
    let wasUnmanaged = record.registration.isUnmanaged
    if !wasUnmanaged { record.command = record.registration }
    record.wait = nil
    record.refusals = 0
    record.lines = []
    record.registration = registration
    if !wasUnmanaged {
      record.registration.name = name
      record.registration.modes.formUnion(modes)
      if record.command?.comesBack == true { record.registration.comesBack = true }
      if record.command?.isPurgeable == true { record.registration.isPurgeable = true }
    }
    record.registration.speaks = true
    record.launchedAt = now
    record.isLaunched = registration.resumes != nil
    record.hasEnteredBackground = registration.resumes != nil
    record.target = Record.target(registration)
  }

  private func installed(_ record: Record, timeout: Interval?, told: Moment?, since: Moment?) {
    guard let timeout = timeout.map({ min($0, policy.longest) }) else { return record.keepAlive = nil }
    if let told = told.map({ min($0, now) }) { record.lastRun = max(record.lastRun ?? told, told) }
    record.keepAlive = Record.KeepAlive(
      timeout: timeout, installed: now, base: record.keepAlive?.base ?? min(since ?? now, now))
  }

  /// Nothing starts it again, whether it speaks or falls back to the command that it was.
  private func uninstalled(_ record: Record) {
    guard !record.registration.isUnmanaged else { return }
    record.registration.comesBack = false
    record.command?.comesBack = false
  }

  private func commanded(_ record: Record, _ command: Transition) {
    switch command {
    case .foreground where record.isStaying: record.target = .foreground
    case .background where record.isStaying: record.target = .background
    case .suspend where record.isStaying:
      record.target = .background
      (record.wake, record.keepAliveRun, record.wait) = (nil, nil, nil)
      record.refusals = 0
      record.trial = .over
    case .quit where record.isStaying && !record.isHeld: record.ending = (now, .quit)
    case .wake where record.isStaying: record.trial = .over
    case .wake, .suspend, .foreground, .background, .quit, .kill: break
    }
  }
}
