internal import LullEngine

extension Application {
  /// Handles what the supervisor said, one notice after the other.
  func handleNotices() {
    while phase != .ended, let notice = link.nextNotice() { handle(notice) }
  }

  private func handle(_ notice: LinkNotice) {
    switch notice {
    case .deliver(let message, let ticket, let reason): deliver(message, ticket, reason)
    case .wake(let reason, let ticket):
      tickets.woke(reason, ticket)
      wakeReason = reason
      delegate?.applicationDidWake(self, reason: reason)
      guard reason == .refill else { return }
      for session in sessions { session.refill() }
    case .keepAlive(let ticket): runKeepAlive(ticket)
    case .expire(let id): tasks.first { $0.id == id }?.expirationHandler()
    case .action(let id, let action, let ticket):
      tickets.received(ticket)
      guard let token = notifications.answered(id) else { return }
      tickets.willHandle()
      delegate?.application(self, didChoose: action, for: token)
    case .interruptionBegan(let id): session(id)?.emit(.interruptionBegan)
    case .interruptionEnded(let id, let resume):
      // It is heard again after the next `play`, which must be a change of the command.
      if !resume { session(id)?.haltInterrupted() }
      session(id)?.emit(.interruptionEnded(shouldResume: resume))
    case .route(let change, let id):
      for session in sessions where id == nil || session.id == id { session.routeChanged(change) }
    case .cut(let id, let error): session(id)?.wasCut(error)
    case .received(_, let content):
      tickets.willHandle()
      delegate?.application(self, didReceive: content)
    case .heard(let ticket): tickets.heard(ticket)
    case .prepare(let ticket): handover = ticket
    case .lost:
      tickets.restart()
      lostAt = clock()
      handover = nil
      hasHandedOver = false
      for session in sessions { session.lose() }
    case .restored: declareAnew()
    case .show(let id, let content): show(id, content)
    case .killed(let reason):
      killReason = reason
      end()
    }
  }

  private func deliver(_ message: DelegateMessage, _ ticket: Ticket, _ reason: WakeReason?) {
    tickets.received(ticket)
    let options = LaunchOptions(target: launchTarget, reason: reason)
    switch message {
    case .willFinishLaunching: delegate?.application(self, willFinishLaunchingWith: options)
    case .didFinishLaunching:
      phase = .launched
      delegate?.application(self, didFinishLaunchingWith: options)
    case .didBecomeActive:
      applicationState = .active
      delegate?.applicationDidBecomeActive(self)
    case .willResignActive:
      applicationState = .inactive
      delegate?.applicationWillResignActive(self)
    case .didEnterBackground:
      applicationState = .background
      delegate?.applicationDidEnterBackground(self)
    case .willEnterForeground: delegate?.applicationWillEnterForeground(self)
    case .willTerminate:
      delegate?.applicationWillTerminate(self)
      isStopping = true
    }
    link.tell(.did(ticket))
  }

  private func session(_ id: SessionID) -> AudioSession? {
    sessions.first { $0.id == id }
  }

  private func runKeepAlive(_ ticket: Ticket) {
    tickets.received(ticket)
    lastKeepAlive = clock()
    // It was cleared while the notice was on its way.
    guard let keepAlive else { return tickets.finished() }
    tickets.willHandle()
    keepAlive.handler()
  }

  /// Sends the lines to a daemon that cannot take them, then waits to be stopped.
  func handOver() {
    guard let ticket = handover else { return }
    handover = nil
    hasHandedOver = true
    for line in lines {
      if let id = line.id { link.tell(.handover(id, line.descriptor, ticket)) }
    }
    link.tell(.ready(ticket))
  }

  /// Tells a daemon that was restarted everything that the old one knew.
  private func declareAnew() {
    do {
      for line in lines { try declareAnew(line) }
      if let keepAlive {
        let since = keepAlive.since
        _ = try link.ask(.keepAlive(keepAlive.timeout, lastRun: lastKeepAlive, since: since))
      }
      for index in tasks.indices { tasks[index].id = try beginAnew(tasks[index].name) }
      try notifications.declareAnew(to: link, now: clock(), wallOffset: wallOffset, lost: lostAt)
      for session in sessions { try session.openAgain(self) }
    } catch {
      // The daemon is gone again; the next one is told everything.
      return
    }
    switch wantedTarget {
    case .background: link.tell(.background)
    case .foreground: link.tell(.foreground)
    case nil: break
    }
    wantedTarget = nil
    // The old daemon did not finish the transition, and the new one knows nothing of it.
    guard applicationState == .inactive, phase == .launched else { return }
    applicationState = .active
    delegate?.applicationDidBecomeActive(self)
  }
}
