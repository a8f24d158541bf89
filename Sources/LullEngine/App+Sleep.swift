extension App {
  /// Asks the shell to freeze the program when nothing forbids it and no wait after a refusal runs.
  mutating func fallAsleep(_ turn: inout Turn) {
    guard mayFreeze, retry.next == nil else { return }
    guard !registration.exitsOnSuspend else { return end(.exitsOnSuspend, &turn) }
    let ticket = turn.newTicket()
    sleep = .freezing(ticket, limit: turn.now + turn.policy.freezeLimit)
    turn.perform(.freeze(id, ticket))
  }

  mutating func frozen(_ ticket: Ticket, _ turn: inout Turn) {
    guard isStaying, case .arming(ticket, _, let timer) = sleep else { return }
    if registration.sleepsByItself, case .due = trial { return endTrial(&turn) }
    sleep = .asleep
    idleness.slept()
    timers.slept(timer)
    (wakeLease, keepAliveLease) = (nil, nil)
    for index in lines.indices { lines[index].hasSlept = true }
    // Short sleeps must not put it off for ever.
    pathsDue = registration.udpKeepAlive.map { min(pathsDue, turn.now + $0) } ?? .never
    retry.succeeded()
    account.turn(asleep: true, at: turn.now)
    silentRefills.slept(at: turn.now, turn.policy)
    turn.note(id, .frozen)
    enter(.suspended, &turn)
    refillUnheeded(&turn)
  }

  mutating func freezeRefused(
    _ ticket: Ticket, _ why: FreezeRefusal, _ detail: Detail, _ retryAfter: Interval?, _ turn: inout Turn
  ) {
    switch sleep {
    case .freezing(ticket, _), .arming(ticket, _, _):
      if isStaying { takeFreezeBack(why, detail, retryAfter, &turn) }
    default: return
    }
  }

  /// Takes an unfinished freeze back, or it may complete after the failure was reported
  /// (opencontainers/runc#5325).
  mutating func takeFreezeBack(
    _ why: FreezeRefusal, _ detail: Detail, _ retryAfter: Interval?, _ turn: inout Turn
  ) {
    sleep = .awake
    let policy = turn.policy
    let isLookedAt = registration.sleepsByItself
    // A look that found the command busy was a freeze as well.
    if isLookedAt, case .due = trial { trial = .watched(turn.now) }
    retry.refused(
      why, detail, now: turn.now, first: isLookedAt ? policy.idleFirst : policy.freezeRetryFirst,
      longest: isLookedAt ? policy.idleLast : policy.freezeRetryLast, notBefore: retryAfter)
    turn.perform(.thaw(id))
    silentRefills.settled()
    tellMissed(&turn)
    turn.note(id, .freezeRefused(why, detail))
  }

  /// A line of the sleeping program is ready. Readiness of a program that is awake is stale: it sees its
  /// lines itself.
  mutating func ready(_ line: LineID, _ readiness: Readiness, _ turn: inout Turn) {
    guard isStaying, !isAwake, let index = place(of: line) else { return }
    let kind = lines[index].kind
    switch readiness {
    case .ping where mayAnswer(lines[index], turn): turn.perform(.answerPing(id, line))
    case .data, .ping:
      wakeOrDelay(kind == .voip ? .data : .accessory, index, &turn)
    case .accept: wakeOrDelay(.accept, index, &turn)
    case .writable: wakeOrDelay(.writable, index, &turn)
    case .closed: wakeForLoss(.closed, index, &turn)
    case .error: wakeForLoss(.error, index, &turn)
    }
  }

  /// A lost connection is made again within the grace. A command keeps all of it for a connection that it
  /// opened, and none for one that it accepted, whose end is nothing unusual.
  private mutating func wakeForLoss(_ reason: WakeReason, _ index: Int, _ turn: inout Turn) {
    if isAsleep, let lost = timers.lost(at: turn.now, policy: turn.policy) {
      turn.note(id, .timerOverdue(lost.overdue, floor: lost.floor))
    }
    let keepsGrace = !registration.sleepsByItself || lines[index].origin == .opened
    let runTime = keepsGrace ? turn.policy.lostConnectionGrace : turn.policy.wakeRunTime
    wake(reason, index, runTime, &turn)
    if keepsGrace { wakeLease?.isFirm = true }
    // When the command has closed its end, that is no second loss.
    lines[index].origin = .other
  }

  private mutating func wakeOrDelay(_ reason: WakeReason, _ index: Int, _ turn: inout Turn) {
    guard isAsleep, let batch = registration.batchWakes, let last = wakes.last,
      last.moment + batch > turn.now,
      wakes.isOver(at: turn.now, policy: turn.policy)
    else { return wake(reason, index, turn.policy.wakeRunTime, &turn) }
    guard delayedWake == nil else { return }
    let moment = last.moment + batch
    delayedWake = (moment, reason, lines[index].id)
    turn.note(id, .wakeDelayed(lines[index].id, moment - turn.now))
  }

  private mutating func wake(_ reason: WakeReason, _ index: Int, _ runTime: Interval, _ turn: inout Turn) {
    lines[index].wasReal(at: turn.now)
    wake(reason, line: lines[index].id, runTime, &turn)
  }

  /// Wakes the program and gives it run time. The thaw goes first: the caller waits for it.
  mutating func wake(_ reason: WakeReason, line: LineID?, _ runTime: Interval, _ turn: inout Turn) {
    if !isAwake { rouse(Wake(reason: reason, line: line, moment: turn.now), &turn) }
    giveRunTime(reason, line: line, runTime, &turn)
  }

  mutating func giveRunTime(_ reason: WakeReason, line: LineID?, _ runTime: Interval, _ turn: inout Turn) {
    vouches = false
    let ticket = turn.newTicket()
    let ends = max(turn.now + runTime, wakeLease?.ends ?? turn.now)
    let kind: LeaseKind = reason == .refill ? wakeLease?.kind ?? .refill : .wake
    wakeLease = Lease(ends: ends, ticket: ticket, kind: kind, isFirm: wakeLease?.isFirm ?? false)
    waitForLook(reason, &turn)
    turn.perform(.woke(id, Wake(reason: reason, line: line, moment: turn.now), ticket))
  }

  /// Thaws the program, or takes its unfinished freeze back.
  mutating func rouse(_ wake: Wake, _ turn: inout Turn) {
    turn.perform(.thaw(id))
    tellMissed(&turn)
    delayedWake = nil
    silentRefills.settled()
    retry.waited()
    guard isAsleep else {
      sleep = .awake
      return turn.note(id, .freezeTakenBack(wake.reason))
    }
    sleep = .awake
    timers.woke(at: turn.now)
    if wake.line != nil { idleness.moved(at: turn.now) }
    account.turn(asleep: false, at: turn.now)
    turn.note(id, .woke(wake.reason, wake.line))
    beginStay(&turn)
    enter(.background, &turn)
    if wakes.record(wake, policy: turn.policy) {
      turn.note(id, .overBudget(wakes: wakes.count(at: turn.now, policy: turn.policy)))
    }
  }

  /// Somebody else has thawed it. The thaw is written again, since a freeze may be half way.
  mutating func unfrozen(_ turn: inout Turn) {
    guard isStaying, !isAwake else { return }
    wake(.unfrozen, line: nil, turn.policy.wakeRunTime, &turn)
  }

  /// The program has handled everything up to `ticket`.
  mutating func done(_ ticket: Ticket, _ turn: Turn) {
    if let lease = wakeLease, lease.ticket <= ticket { wakeLease = nil }
    if let lease = keepAliveLease, lease.ticket <= ticket { keepAliveLease = nil }
    // In the foreground it goes on reading after its `done`, and may sleep in the middle of a message.
    vouches = state == .background && wakeLease == nil && keepAliveLease == nil && tasks.isEmpty
    if vouches { retry.settle(until: turn.now + turn.policy.settlingTime) }
  }

  mutating func lineForgotten(_ line: LineID) {
    if let place = place(of: line) { lines.remove(at: place) }
  }

  mutating func lineLost(_ line: LineID, _ turn: inout Turn) {
    guard let index = place(of: line) else { return }
    let lost = lines.remove(at: index)
    turn.note(id, .lineLost(line))
    guard registration.sleepsByItself, isStaying, lost.origin == .opened, lost.hasSlept else { return }
    // The command saw the end itself while it was awake: it gets the time to connect again all the same.
    wake(.closed, line: line, turn.policy.lostConnectionGrace, &turn)
    wakeLease?.isFirm = true
  }
}
