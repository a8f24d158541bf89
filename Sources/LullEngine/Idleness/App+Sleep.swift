extension App {
  mutating func fallAsleep(_ turn: inout Turn) {
    guard mayFreeze, retry.next == nil else { return }
    guard !registration.settings.exitsOnSuspend else { return end(.exitsOnSuspend, &turn) }
    // A day that begins in this turn is otherwise told at its end, when the program is no longer awake.
    tellChanges(&turn)
    let ticket = turn.newTicket()
    sleep = .freezing(ticket, limit: turn.now + turn.policy.freezeLimit)
    turn.perform(.freeze(id, ticket))
  }

  mutating func frozen(_ ticket: Ticket, _ turn: inout Turn) {
    guard isStaying, case .arming(ticket, _, let ahead) = sleep else { return }
    if registration.sleepsByItself, case .due = trial { return endTrial(&turn) }
    sleep = .asleep
    cutOffPause = pause(at: turn.now)
    idleness.slept(at: turn.now)
    timers.slept(ahead, at: turn.now, policy: turn.policy)
    queries.slept()
    (wakeLease, keepAliveLease) = (nil, nil)
    endErrands(&turn)
    for index in lines.indices { lines[index].hasSlept = true }
    // Short sleeps must not put this moment off for ever.
    pathsDue = registration.settings.udpKeepAlive.map { min(pathsDue, turn.now + $0) } ?? .never
    retry.succeeded()
    account.turn(asleep: true, at: turn.now)
    memory.slept(at: turn.now, allowsCompaction: !registration.settings.staysInMemory, turn.policy.processes)
    silentRefills.slept(at: turn.now, turn.policy)
    turn.note(id, .frozen)
    enter(.suspended, &turn)
    refillUnheeded(&turn)
  }

  mutating func freezeRefused(
    _ ticket: Ticket, why: FreezeRefusal, detail: Detail, retryAfter: Interval?, _ turn: inout Turn
  ) {
    switch sleep {
    case .freezing(ticket, _), .arming(ticket, _, _):
      if isStaying { takeFreezeBack(why, detail: detail, retryAfter: retryAfter, &turn) }
    default: return
    }
  }

  /// Takes an unfinished freeze back, or it may complete after the failure was reported
  /// (opencontainers/runc#5325).
  mutating func takeFreezeBack(
    _ why: FreezeRefusal, detail: Detail, retryAfter: Interval?, _ turn: inout Turn
  ) {
    countFreeze(turn)
    sleep = .awake
    // An observation that found the command busy was a freeze as well.
    if registration.sleepsByItself, why != .stopped, case .due = trial { trial = .watched(turn.now) }
    refuse(why, detail: detail, retryAfter: retryAfter, turn)
    turn.perform(.thaw(id))
    silentRefills.settled()
    tellMissed(&turn)
    // A stopped job stays stopped for long, and nothing has to be done about it.
    if why != .stopped { turn.note(id, .freezeRefused(why, detail)) }
  }

  private mutating func refuse(
    _ why: FreezeRefusal, detail: Detail, retryAfter: Interval?, _ turn: Turn
  ) {
    let (policy, isObserved) = (turn.policy, registration.sleepsByItself)
    retry.refused(
      why, detail, now: turn.now, first: isObserved ? policy.idleFirst : policy.freezeRetryFirst,
      longest: isObserved ? policy.idleLast : policy.freezeRetryLast, notBefore: retryAfter)
  }

  /// The clock of a query stood still in an unfinished freeze, which can take as long as `freezeLimit`.
  mutating func countFreeze(_ turn: Turn) {
    guard case .freezing(_, let limit) = sleep else { return }
    idleness.wasFrozen(for: turn.now - (limit - turn.policy.freezeLimit))
  }

  /// Readiness for a program that is awake is stale: the program sees its lines itself.
  mutating func ready(_ line: LineID, as readiness: LineReadiness, _ turn: inout Turn) {
    guard isStaying, !isAwake, let index = place(of: line) else { return }
    switch readiness {
    case .ping where mayAnswer(lines[index], turn): turn.perform(.answerPing(id, line))
    case .data, .ping: wakeOrDelay(lines[index].purpose.wakeReason, at: index, &turn)
    case .probe where mayAnswerProbe(lines[index], turn): turn.perform(.answerPing(id, line))
    case .accept, .probe: wakeOrDelay(.accept, at: index, &turn)
    case .writable: wakeOrDelay(.writable, at: index, &turn)
    case .closed: wakeForLoss(.closed, at: index, &turn)
    case .error: wakeForLoss(.error, at: index, &turn)
    }
  }

  /// A lost connection is made again within the grace. A command keeps all of the grace for a connection that
  /// it opened, and gets none for a connection that it accepted, whose end is nothing unusual.
  private mutating func wakeForLoss(_ reason: WakeReason, at index: Int, _ turn: inout Turn) {
    if isAsleep, let lost = timers.lost(at: turn.now, policy: turn.policy) {
      turn.note(id, .timerOverdue(lost.overdue, floor: lost.floor))
    }
    let keepsGrace = !registration.sleepsByItself || lines[index].origin == .opened
    let runTime = keepsGrace ? turn.policy.lostConnectionGrace : turn.policy.wakeRunTime
    wake(reason, at: index, for: runTime, &turn)
    if keepsGrace { wakeLease?.isHeldUntilExpiry = true }
    // The close of the command's own end afterwards is no second loss.
    lines[index].origin = .other
  }

  private mutating func wakeOrDelay(_ reason: WakeReason, at index: Int, _ turn: inout Turn) {
    guard isAsleep, let batch = registration.settings.batchWakes, let last = wakes.last,
      last.moment + batch > turn.now,
      wakes.isOver(at: turn.now, policy: turn.policy)
    else { return wake(reason, at: index, for: turn.policy.wakeRunTime, &turn) }
    guard delayedWake == nil else { return }
    let moment = last.moment + batch
    delayedWake = (moment, reason, lines[index].id)
    turn.note(id, .wakeDelayed(lines[index].id, moment - turn.now))
  }

  private mutating func wake(_ reason: WakeReason, at index: Int, for runTime: Interval, _ turn: inout Turn) {
    lines[index].wasReal(at: turn.now)
    wake(reason, line: lines[index].id, for: runTime, &turn)
  }

  /// The thaw goes first: a caller outside waits for it.
  mutating func wake(_ reason: WakeReason, line: LineID?, for runTime: Interval, _ turn: inout Turn) {
    if !isAwake { unfreeze(Wake(reason: reason, line: line, moment: turn.now), &turn) }
    extendWakeLease(reason, line: line, for: runTime, &turn)
  }

  mutating func extendWakeLease(
    _ reason: WakeReason, line: LineID?, for runTime: Interval, _ turn: inout Turn
  ) {
    isAtMessageBoundary = false
    let ticket = turn.newTicket()
    let ends = max(turn.now + runTime, wakeLease?.ends ?? turn.now)
    let kind: LeaseKind = reason == .refill ? wakeLease?.kind ?? .refill : .wake
    wakeLease = Lease(
      ends: ends, ticket: ticket, kind: kind, isHeldUntilExpiry: wakeLease?.isHeldUntilExpiry ?? false)
    waitForObservation(reason, &turn)
    turn.perform(.woke(id, Wake(reason: reason, line: line, moment: turn.now), ticket))
  }

  mutating func unfreeze(_ wake: Wake, _ turn: inout Turn) {
    turn.perform(.thaw(id))
    tellMissed(&turn)
    delayedWake = nil
    silentRefills.settled()
    retry.waited()
    guard isAsleep else {
      countFreeze(turn)
      sleep = .awake
      // A program that says `done` and never reads what is there would be frozen and thawed in a loop.
      if let line = wake.line { refuse(.unread, detail: .line(line, unread: 0), retryAfter: nil, turn) }
      return turn.note(id, .freezeTakenBack(wake.reason))
    }
    sleep = .awake
    memory.woke(wake.reason)
    timers.woke(wake.reason, at: turn.now)
    idleness.woke(at: turn.now)
    if let line = wake.line { idleness.woke(by: line, at: turn.now) }
    account.turn(asleep: false, at: turn.now)
    turn.note(id, .woke(wake.reason, wake.line))
    beginStay(&turn)
    enter(.background, &turn)
    if wakes.record(wake, policy: turn.policy) {
      turn.note(id, .overBudget(wakes: wakes.count(at: turn.now, policy: turn.policy)))
    }
  }

  /// A freeze may be half way, so the thaw is written again.
  mutating func unfrozen(_ turn: inout Turn) {
    guard isStaying, !isAwake else { return }
    wake(.unfrozen, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// A program with connections gets the time to make them again, also when it is awake: it may sleep with a
  /// dead connection otherwise.
  mutating func reconnect(_ reason: WakeReason, _ turn: inout Turn) {
    guard isStaying, registration.settings.modes.contains(.voip), isInBackground else { return }
    wake(reason, line: nil, for: turn.policy.lostConnectionGrace, &turn)
    wakeLease?.isHeldUntilExpiry = true
  }

  mutating func done(_ ticket: Ticket, _ turn: Turn) {
    if let lease = wakeLease, lease.ticket <= ticket { wakeLease = nil }
    if let lease = keepAliveLease, lease.ticket <= ticket { keepAliveLease = nil }
    // In the foreground a program goes on reading after its `done`, and may sleep in the middle of a message.
    isAtMessageBoundary =
      state == .background && wakeLease == nil && keepAliveLease == nil && tasks.isEmpty
      && errands.isEmpty
    if isAtMessageBoundary { retry.settle(until: turn.now + turn.policy.settlingTime) }
  }

  /// The race: the program read a byte after its `done` and before its freeze, and the byte is on its way
  /// between two threads that both wait.
  mutating func handling(_ ticket: Ticket, _ turn: Turn) {
    guard isStaying, state == .background, !registration.sleepsByItself, wakeLease == nil else { return }
    isAtMessageBoundary = false
    wakeLease = Lease(ends: turn.now + turn.policy.wakeRunTime, ticket: ticket)
  }

  mutating func lineForgotten(_ line: LineID) {
    if let place = place(of: line) { lines.remove(at: place) }
  }

  mutating func lineLost(_ line: LineID, _ turn: inout Turn) {
    guard let index = place(of: line) else { return }
    let lost = lines.remove(at: index)
    turn.note(id, .lineLost(line))
    guard registration.sleepsByItself, isStaying, lost.origin == .opened, lost.hasSlept else { return }
    // The command saw the end itself while it was awake, but gets the time to connect again all the same.
    wake(.closed, line: line, for: turn.policy.lostConnectionGrace, &turn)
    wakeLease?.isHeldUntilExpiry = true
  }

  // MARK: The program's own timers

  mutating func runTimers(_ turn: inout Turn) {
    let run = timers.runTime(turn.policy)
    wake(.timer, line: nil, for: turn.policy.wakeRunTime, &turn)
    retry.wait(until: turn.now + run)
  }

  mutating func lookForSignals(_ turn: inout Turn) {
    timers.looks(at: turn.now)
    turn.perform(.checkSignals(id))
  }

  mutating func signalDue(_ turn: inout Turn) {
    guard isStaying, isAsleep else { return }
    wake(.signal, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  mutating func runWakeTimer(_ turn: inout Turn) {
    wakeTimer = .never
    guard !isAwake else { return }
    turn.runsKeepAlives = true
    wake(.timer, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// Another program had to run its keep-alive or its timers: those of this one run with it where they may.
  mutating func joinWake(_ turn: inout Turn) {
    runKeepAlive(&turn)
    runFetch(&turn)
    if isStaying, isAsleep, timers.opens <= turn.now { runTimers(&turn) }
  }
}
