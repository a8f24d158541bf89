internal import LullEngine
internal import LullWire

extension Application {
  func handleNotices() {
    while phase != .ended, let notice = link.nextNotice() { handle(notice) }
  }

  private func handle(_ notice: LinkNotice) {
    switch notice {
    case .told(let notice): handle(notice)
    case .doneReceived(let ticket): tickets.doneReceived(ticket)
    case .lost:
      // Nobody could end the sound of an unmanaged client any more.
      if let link = link as? DaemonLink, link.isUnmanaged { return end() }
      tickets.restart()
      lostAt = clock()
      handover = nil
      hasHandedOver = false
      for session in sessions { session.lose() }
      launchAlone()
    case .restored: declareAnew()
    case .show(let id, let content): show(id, content)
    case .killed(let reason):
      killReason = reason
      end()
    }
  }

  private func handle(_ notice: ProgramNotice) {
    switch notice {
    case .deliver(let message, let ticket): deliver(message, ticket)
    case .wake(let ticket, let reason, _, _):
      tickets.woke(reason, ticket)
      wakeReason = reason
      if reason == .timer { wakeTimerFired() }
      tell { $0.applicationDidWake(self, reason: reason) }
      guard reason == .refill else { return }
      for session in sessions { session.refill() }
    case .keepAlive(let ticket): runKeepAlive(ticket)
    case .fetch(let ticket): runFetch(ticket)
    case .push(let ticket, let push):
      let completion = FetchCompletion(ticket: ticket, mailbox: mailbox)
      guard let delegate else { return completion(.noData) }
      delegate.application(self, didReceive: push, completion: completion)
    case .expire(let id): tasks.first { $0.id == id }?.expirationHandler()
    case .open(let ticket, let url):
      tickets.received(ticket)
      tickets.willHandle()
      tell { $0.application(self, open: url) }
    case .action(let ticket, let id, let action, let desktop):
      tickets.received(ticket)
      // The notification may be of an earlier life of the program.
      let token = notifications.answered(id) ?? NotificationToken(number: newToken())
      tickets.willHandle()
      activationToken = desktop
      tell { $0.application(self, didChoose: action, for: token) }
      activationToken = nil
    case .interruption(let id, .began): session(id)?.emit(.interruptionBegan)
    case .interruption(let id, .ended(let resume)):
      // The session is heard again after the next `play`, which must be a change of the ring's transport.
      if !resume { session(id)?.haltInterrupted() }
      session(id)?.emit(.interruptionEnded(shouldResume: resume))
    case .route(let notice):
      let change = AudioRouteChange(notice)
      for session in sessions where notice.session == nil || session.id == notice.session {
        session.routeChanged(change)
      }
    case .cut(let id, let error): session(id)?.wasCut(error)
    case .received(_, let content):
      tickets.willHandle()
      tell { $0.application(self, didReceive: content) }
    case .prepare(let ticket): handover = ticket
    case .keeping: keepLines()
    case .changed(let news): changed(news)
    }
  }

  private func deliver(_ message: DelegateMessage, _ ticket: Ticket) {
    tickets.received(ticket)
    tell(message)
    link.tell(.did(ticket: ticket))
  }

  /// Goes on with a launch whose daemon has ended. The next daemon takes the program over as one that runs.
  private func launchAlone() {
    while phase != .ended, let message = launchMessages.first { tell(message) }
  }

  private func tell(_ message: DelegateMessage) {
    launchMessages = launchMessages.firstIndex(of: message).map { launchMessages[($0 + 1)...] } ?? []
    let launch = link.launch
    let options = LaunchOptions(
      target: launchTarget, reason: launch.reason, line: launch.line, url: launch.url)
    switch message {
    case .willFinishLaunching: tell { $0.application(self, willFinishLaunchingWith: options) }
    case .didFinishLaunching:
      phase = .launched
      tell { $0.application(self, didFinishLaunchingWith: options) }
    case .didBecomeActive:
      applicationState = .active
      tell { $0.applicationDidBecomeActive(self) }
    case .willResignActive:
      tell { $0.applicationWillResignActive(self) }
      if phase != .ended { applicationState = .inactive }
    case .didEnterBackground:
      applicationState = .background
      tell { $0.applicationDidEnterBackground(self) }
    case .willEnterForeground:
      tell { $0.applicationWillEnterForeground(self) }
      if phase != .ended { applicationState = .inactive }
    case .protectedDataWillBecomeUnavailable:
      tell { $0.applicationProtectedDataWillBecomeUnavailable(self) }
      isProtectedDataAvailable = false
    case .protectedDataDidBecomeAvailable: openProtectedData()
    case .willTerminate:
      tell { $0.applicationWillTerminate(self) }
      isStopping = true
    }
  }

  private func session(_ id: SessionID) -> AudioSession? { sessions.first { $0.id == id } }

  private func runKeepAlive(_ ticket: Ticket) {
    tickets.received(ticket)
    lastKeepAlive = clock()
    // The handler was cleared while the notice was on its way.
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
      if let id = line.id { link.tell(.handover(line: id, ticket: ticket), descriptor: line.descriptor) }
    }
    link.tell(.ready(ticket: ticket))
  }

  private func declareAnew() {
    wakeTimer = nil
    do {
      for line in lines { try declareAnew(line) }
      if let keepAlive {
        _ = try link.ask(keepAlive.request(lastRun: lastKeepAlive, since: keepAlive.since))
      }
      if let fetches {
        _ = try link.ask(.fetch(fetches.interval, since: fetches.since.nanoseconds))
      }
      for index in tasks.indices { tasks[index].id = try beginAnew(tasks[index].name) }
      try notifications.declareAnew(to: link, now: clock(), wallOffset: wallOffset, lost: lostAt)
      for session in sessions { try session.openAgain(self) }
    } catch {
      // The daemon is gone again; the next daemon is told everything.
      return
    }
    if let target = wantedTarget.take() { tell(target) }
    // The old daemon did not finish the transition, and the new one knows nothing of it.
    if !isProtectedDataAvailable { openProtectedData() }
    // A lock that lasts is told again.
    if isLocked { changed(SurroundingNews(.lock, power: power)) }
    guard applicationState == .inactive, phase == .launched else { return }
    applicationState = .active
    tell { $0.applicationDidBecomeActive(self) }
  }

  /// A daemon that was restarted tells what the application knows already.
  private func changed(_ news: SurroundingNews) {
    var changes = news.changes
    if news.power == power { changes.remove(.power) }
    if news.isLocked == isLocked { changes.remove(.lock) }
    (power, isLocked) = (news.power, news.isLocked)
    guard !changes.isEmpty, phase == .launched else { return }
    tell { $0.application(self, surroundingsDidChange: changes) }
  }

  private func openProtectedData() {
    isProtectedDataAvailable = true
    tell { $0.applicationProtectedDataDidBecomeAvailable(self) }
  }
}
