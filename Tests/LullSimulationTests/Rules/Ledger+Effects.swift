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
    case .watch, .compact, .checkLocks, .checkSignals, .weigh, .interruption, .route, .changed, .answerPing,
      .exempt, .measure, .warnMemory, .restPressure, .keepLines, .show, .withdraw, .keep, .drop, .launch,
      .giveUpLaunch, .keepInstalled, .receive, .note:
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
    (record.wake, record.keepAliveRun, record.keepAlive) = (nil, nil, nil)
  }
}
