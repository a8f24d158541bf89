extension App {
  /// Does what is due at `turn.now`; afterwards nothing of it is due any more.
  mutating func elapse(_ turn: inout Turn) {
    switch exit {
    case .killed: return
    case .ending(let reason, let limit):
      if limit <= turn.now { kill(reason == .quit ? .quit : .terminateLimit, &turn) }
      return
    case .staying: break
    }
    if let out = mail.outstanding, out.limit <= turn.now {
      return kill(isLaunched ? .backgroundLimit : .launchLimit, &turn)
    }
    expireTasks(&turn)
    guard isStaying else { return }
    endLeases(&turn)
    fadeSound(&turn)
    if let limit = freezeLimit, limit <= turn.now { takeFreezeBack(.timeout, .none, nil, &turn) }
    if isAsleep, timers.latest <= turn.now {
      turn.runsKeepAlives = true
      runTimers(&turn)
    }
    if let keepAlive, keepAlive.runsAlone(awake: isAwake) <= turn.now {
      if keepAlive.due <= turn.now { turn.runsKeepAlives = true }
      runKeepAlive(&turn)
    }
    if let delayed = delayedWake, delayed.moment <= turn.now {
      delayedWake = nil
      if let index = lines.firstIndex(where: { $0.id == delayed.line }) { lines[index].lastReal = turn.now }
      wake(delayed.reason, line: delayed.line, turn.policy.wakeRunTime, &turn)
    }
    if let next = retry.next, next <= turn.now { retry.waited() }
    keepPathsOpen(&turn)
  }

  private mutating func endLeases(_ turn: inout Turn) {
    if let lease = wakeLease, lease.ends <= turn.now {
      wakeLease = nil
      turn.note(id, .leaseEnded(lease.kind, overrun: true))
    }
    if let lease = keepAliveLease, lease.ends <= turn.now {
      keepAliveLease = nil
      turn.note(id, .leaseEnded(.keepalive, overrun: true))
    }
  }

  private mutating func expireTasks(_ turn: inout Turn) {
    guard isAwake, let ends = tasks.ends, !tasks.isEmpty else { return }
    for task in tasks.expire(now: turn.now, lead: turn.policy.expirationLead) {
      turn.perform(.expire(id, task))
      turn.note(id, .taskExpired(task))
    }
    if ends <= turn.now { kill(.taskLimit, &turn) }
  }

  /// Runs the keep-alive handler when the window is open; wakes the program for it when it sleeps.
  mutating func runKeepAlive(_ turn: inout Turn) {
    guard isStaying, var keepAlive, keepAlive.opens <= turn.now else { return }
    keepAlive.ran(at: turn.now, policy: turn.policy)
    self.keepAlive = keepAlive
    lastKeepAliveRun = turn.now
    let wasAwake = isAwake
    if !wasAwake { rouse(Wake(reason: .keepalive, line: nil, moment: turn.now), &turn) }
    vouches = false
    let ticket = turn.newTicket()
    keepAliveLease = Lease(ends: turn.now + turn.policy.keepAliveRunTime, ticket: ticket)
    linger(&turn)
    if !wasAwake {
      turn.perform(.woke(id, Wake(reason: .keepalive, line: nil, moment: turn.now), ticket))
    }
    turn.perform(.runKeepAlive(id, ticket))
    turn.note(id, .keepAliveRan)
  }
}
