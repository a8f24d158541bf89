import LullEngine

// The state of a program, and the messages about it.
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
    (record.wake, record.keepAliveRun, record.keepAlive) = (nil, nil, nil)
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
