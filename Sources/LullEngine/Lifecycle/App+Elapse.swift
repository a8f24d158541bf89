extension App {
  /// `looks` is the moment from which on any turn looks at the program's signals.
  mutating func settle(
    _ turn: inout Turn
  ) -> (due: Moment, alarm: Moment, limit: Moment, looks: Moment, holdsMachine: Bool) {
    var rounds = LoopLimit(100)
    var (due, alarm) = (Moment.never, ResumeAlarm())
    repeat {
      guard rounds.goesOn(id, &turn) else {
        return (turn.now + .seconds(1), .never, limit, .never, holdsMachine)
      }
      elapse(&turn)
      tellChoices(&turn)
      turnTowardsTarget(&turn)
      tellPosts(&turn)
      // Before the mail: a program that exits on suspend is sent `willTerminate` here.
      fallAsleep(&turn)
      sendMail(&turn)
      timeTasks(turn)
      alarm = self.alarm
      due = deadline(alarm, turn)
    } while due <= turn.now
    weigh(&turn)
    let looks = isStaying && isAsleep ? timers.looksAlong(turn.policy) : .never
    return (due, alarm.moment, limit, looks, holdsMachine)
  }

  /// Afterwards nothing is due at `turn.now`.
  private mutating func elapse(_ turn: inout Turn) {
    if turn.enforcesLimits, limit <= turn.now { enforceLimit(&turn) }
    guard isStaying else { return fadeSound(&turn) }
    endLeases(&turn)
    fadeSound(&turn)
    timeTasks(turn)
    expireTasks(&turn)
    refillOwed(&turn)
    if let limit = freezeLimit, limit <= turn.now {
      takeFreezeBack(.timeout, detail: .none, retryAfter: nil, &turn)
    }
    if isAsleep, timers.latest <= turn.now {
      turn.runsKeepAlives = true
      runTimers(&turn)
    }
    if isAsleep, timers.nextLook <= turn.now { lookForSignals(&turn) }
    if wakeTimer <= turn.now { runWakeTimer(&turn) }
    if let keepAlive, keepAliveDue <= turn.now {
      if keepAlive.due <= turn.now { turn.runsKeepAlives = true }
      runKeepAlive(&turn)
    }
    if fetchDue(turn) <= turn.now {
      turn.runsKeepAlives = true
      runFetch(&turn)
    }
    if let delayed = delayedWake, delayed.moment <= turn.now {
      delayedWake = nil
      if let index = place(of: delayed.line) { lines[index].wasReal(at: turn.now) }
      wake(delayed.reason, line: delayed.line, for: turn.policy.wakeRunTime, &turn)
    }
    if let next = retry.next, next <= turn.now { retry.waited() }
    keepPathsOpen(&turn)
    careForMemory(&turn)
  }

  private mutating func enforceLimit(_ turn: inout Turn) {
    if case .ending(let reason, _) = exit {
      return kill(reason == .exitsOnSuspend ? .terminateLimit : reason, &turn)
    }
    let isMessage = (mail.outstanding?.limit ?? .never) <= turn.now
    kill(isMessage ? isLaunched ? .backgroundLimit : .launchLimit : .taskLimit, &turn)
  }

  /// A program that stands at a breakpoint keeps no limit. Its limits go on when the next look finds nobody
  /// who traces it.
  mutating func traced(_ turn: inout Turn) {
    guard timeLimit <= turn.now else { return }
    if timeLimit != movedLimit { turn.note(id, .limitStands) }
    standLimitsStill(turn.now - timeLimit + turn.policy.tracedLook)
    movedLimit = timeLimit
  }

  private mutating func standLimitsStill(_ time: Interval) {
    launchEnds = launchEnds + time
    mail.standStill(time)
    if case .ending(let reason, let limit) = exit { exit = .ending(reason, limit: limit + time) }
    tasks.standStill(time)
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
    for errand in errands where errand.ends <= turn.now { end(errand, with: nil, &turn) }
  }

  /// The time for tasks counts towards a suspension, so it stands still while sound keeps the program awake.
  private mutating func timeTasks(_ turn: Turn) {
    guard !tasks.isUnlimited else { return }
    tasks.stand(!soundLeases().isEmpty, at: turn.now)
  }

  private mutating func expireTasks(_ turn: inout Turn) {
    for task in tasks.expire(now: turn.now, lead: turn.policy.expirationLead) {
      turn.perform(.expire(id, task))
      turn.note(id, .taskExpired(task))
    }
  }

  /// The keep-alive runs at this moment without another, but never in the foreground ("a handler to be
  /// executed periodically" is installed "before moving to the background").
  var keepAliveDue: Moment { isInBackground ? keepAlive?.runsAlone(awake: isAwake) ?? .never : .never }

  mutating func runKeepAlive(_ turn: inout Turn) {
    guard isStaying, isInBackground, var keepAlive, keepAlive.opens <= turn.now else { return }
    keepAlive.ran(at: turn.now, policy: turn.policy)
    self.keepAlive = keepAlive
    lastKeepAliveRun = turn.now
    let wasAwake = isAwake
    let wake = Wake(reason: .keepalive, line: nil, moment: turn.now)
    if !wasAwake {
      unfreeze(wake, &turn)
      turn.perform(.woke(id, wake, turn.newTicket()))
    }
    isAtMessageBoundary = false
    // A ticket of its own: a program that says `done` to the wake has not run the handler yet.
    let ticket = turn.newTicket()
    keepAliveLease = Lease(ends: turn.now + turn.policy.keepAliveRunTime, ticket: ticket)
    linger(&turn)
    turn.perform(.runKeepAlive(id, ticket))
    turn.note(id, .keepAliveRan)
  }

  // MARK: Time in which no program can run

  /// The keep-alive, the own timers and the paths that are kept open go by the clock of the world outside and
  /// stay.
  mutating func standStill(_ time: Interval) {
    standLimitsStill(time)
    wakeLease?.standStill(time)
    keepAliveLease?.standStill(time)
    for index in errands.indices { errands[index].standStill(time) }
    switch sleep {
    case .freezing(let ticket, let limit): sleep = .freezing(ticket, limit: limit + time)
    case .arming(let ticket, let limit, let timers):
      sleep = .arming(ticket, limit: limit + time, timers: timers)
    case .awake, .asleep: break
    }
    if case .watched(let since) = trial { trial = .watched(since + time) }
    retry.standStill(time)
    idleness.standStill(time)
    hearing.standStill(time)
    startGrace.standStill(time)
    silentRefills.standStill(time)
  }
}

extension App.Lease {
  fileprivate mutating func standStill(_ time: Interval) { ends = ends + time }
}

extension App.Errand {
  fileprivate mutating func standStill(_ time: Interval) { (began, ends) = (began + time, ends + time) }
}
