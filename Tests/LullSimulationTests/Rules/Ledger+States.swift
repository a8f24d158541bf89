import LullEngine

extension Ledger {
  func delivered(_ record: Record, _ message: DelegateMessage, ticket: Ticket) {
    record.message = (message, ticket, now)
    switch message {
    case .willResignActive where record.registration.settings.exitsOnSuspend && record.target == .background:
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

  func entered(_ record: Record, _ state: ApplicationState) {
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
  func fellBack(_ record: Record) {
    record.pathsOpened = .never
    guard case .leave = event else { return }
    if let command = record.command { record.registration = command }
    record.registration.resumes = nil
    record.message = nil
    record.lines = []
    record.pathsOpened = .never
    record.tasks = []
    (record.wake, record.keepAliveRun, record.keepAlive, record.fetch) = (nil, nil, nil, nil)
    record.pushes = []
    record.isAtMessageBoundary = false
    record.wait = nil
    record.refusals = 0
    record.target = Record.target(record.registration)
    startedAsCommand(record)
  }

  func startedAsCommand(_ record: Record) {
    record.isLaunched = true
    if record.registration.resumes != nil { record.trial = .over }
    if let timeout = record.registration.settings.keepAlive {
      installed(
        record, timeout: timeout, told: record.registration.keepAliveLastRun,
        since: record.registration.keepAliveSince)
    }
    record.lingers(now, policy)
  }
}

// The run time of a wake or a keep-alive.
extension Ledger {
  func woke(_ record: Record, _ wake: Wake, ticket: Ticket) {
    record.isAtMessageBoundary = false
    if let line = wake.line, let index = record.lines.firstIndex(where: { $0.id == line }) {
      record.lines[index].lastReal = now
    }
    waitForObservation(record, wake.reason)
    if wake.reason == .accessory, wake.line == nil { record.lingers(now, policy) }
    switch event {
    case .ending(record.id), .signalled(record.id):
      record.waits(from: now + policy.linger, by: now + policy.linger)
    default: break
    }
    guard wake.reason != .keepalive, wake.reason != .fetch else { return }
    guard wake.reason != .push || !record.registration.speaks else { return }
    let isLoss = isLoss(wake, record)
    let isEnding = if case .ending(record.id) = event { true } else { false }
    let kind: LeaseKind = wake.reason == .refill ? record.wake?.kind ?? .refill : .wake
    let short = wake.reason == .push ? policy.fetchRunTime : policy.wakeRunTime
    let usual = wake.reason == .refill ? refillTime(record) : short
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
    case .keepalive, .notification, .operator, .unfrozen, .network, .resumed, .url, .fetch, .push,
      .lock:
      record.lingers(now, policy)
    case .data, .accept, .accessory, .location, .bluetooth, .closed, .error, .child, .writable, .refill,
      .signal:
      let (first, last) = (policy.idleFirst, policy.idleLast)
      record.waits(from: now + min(first, last), by: now + max(first, last))
    }
  }

  func ran(_ record: Record, _ ticket: Ticket) {
    record.isAtMessageBoundary = false
    record.lingers(now, policy)
    record.lastRun = now
    record.keepAliveRun = Record.Lease(ends: now + policy.keepAliveRunTime, ticket: ticket)
  }

  func fetches(_ record: Record, _ ticket: Ticket) {
    record.isAtMessageBoundary = false
    record.lingers(now, policy)
    record.fetch = Record.Lease(ends: now + policy.fetchRunTime, ticket: ticket)
  }

  func pushed(_ record: Record, _ ticket: Ticket) {
    guard record.isBehind else { return }
    record.isAtMessageBoundary = false
    record.lingers(now, policy)
    record.pushes.append(Record.Lease(ends: now + policy.fetchRunTime, ticket: ticket))
  }

  /// Ends a lease, unless the engine says so before the end of the lease.
  func leaseEnded(_ record: Record, _ kind: LeaseKind) {
    switch kind {
    case .wake, .refill: if !record.holds(record.wake, at: now) { record.wake = nil }
    case .keepalive: if !record.holds(record.keepAliveRun, at: now) { record.keepAliveRun = nil }
    default: break
    }
  }
}
