extension App {
  /// Starts the launch sequence (App States, "The App Launch Cycle").
  mutating func launch(_ turn: inout Turn) {
    guard registration.speaks else { return launchCommand(&turn) }
    beginToLook(&turn)
    if let resumed = registration.resumes {
      isLaunched = true
      // The launch of a resumed program is over, and so is the time that a launch for an event gets.
      hasEnteredBackground = true
      return resume(resumed, &turn)
    }
    isLaunched = false
    enter(registration.launch == .foreground ? .inactive : .background, &turn)
    mail.enqueue([.willFinishLaunching, .didFinishLaunching])
    guard registration.launch == .foreground else { return mail.enqueue([.didEnterBackground]) }
    if !isCovered(turn) { mail.enqueue([.didBecomeActive]) }
  }

  mutating func launchCommand(_ turn: inout Turn) {
    isLaunched = true
    pathsDue = .never
    idleness.moved(at: turn.now)
    if registration.resumes != nil || registration.returnsFor != nil {
      searchEnds = turn.now + turn.policy.searchTime
    }
    if registration.resumes != nil {
      trial = .over
      // The program may be in a call: what it has open counts as new.
      idleness = Idleness(restoredAt: turn.now)
    }
    enter(target == .background ? .background : .active, &turn)
    if let timeout = registration.settings.keepAlive {
      startKeepAlive(
        timeout, lastRun: registration.keepAliveLastRun, since: registration.keepAliveSince, &turn)
    }
    startFetches(registration.settings.fetch, since: registration.fetchedAt, turn)
    linger(&turn)
  }

  private mutating func resume(_ resumed: ApplicationState, _ turn: inout Turn) {
    guard resumed == .background || resumed == .suspended else { return enter(.active, &turn) }
    enter(.background, &turn)
    extendWakeLease(.unfrozen, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  mutating func enter(_ next: ApplicationState, _ turn: inout Turn) {
    guard state != next else { return }
    state = next
    if !playbacks.isEmpty { turn.rearrangesSound = true }
    switch next {
    case .background where tasks.isUnlimited: beginStay(&turn)
    case .inactive, .active: tasks.stayEnds()
    default: break
    }
    turn.note(id, .state(next))
  }

  mutating func beginStay(_ turn: inout Turn) {
    tasks.stayBegins(ending: turn.now + turn.policy.taskBudget(registration.profile))
  }

  /// Sends the next delegate message. A state that a message announces begins when it is sent; a state that
  /// it ends goes on until it has returned.
  mutating func sendMail(_ turn: inout Turn) {
    guard let message = mail.next() else { return }
    switch message {
    case .didEnterBackground: enter(.background, &turn)
    case .didBecomeActive: enter(.active, &turn)
    case .willFinishLaunching, .didFinishLaunching, .willResignActive, .willEnterForeground, .willTerminate,
      .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable:
      break
    }
    if message == .willTerminate, case .ending(let reason, _) = exit {
      // `willTerminate` had to wait for the message before it.
      exit = .ending(reason, limit: turn.now + turn.policy.terminateLimit)
    }
    let ticket = turn.newTicket()
    mail.sent(message, ticket: ticket, limit: limit(of: message, turn))
    turn.perform(.deliver(id, message, ticket))
  }

  private func limit(of message: DelegateMessage, _ turn: Turn) -> Moment {
    switch message {
    case .willFinishLaunching: turn.now + turn.policy.launchLimit
    // The limit counts from the launch, not from the second message.
    case .didFinishLaunching: launchEnds
    case .willResignActive, .didEnterBackground, .protectedDataWillBecomeUnavailable:
      turn.now + turn.policy.backgroundLimit
    case .didBecomeActive, .willEnterForeground, .willTerminate, .protectedDataDidBecomeAvailable: .never
    }
  }

  mutating func did(_ ticket: Ticket, _ turn: inout Turn) {
    guard let message = mail.returned(ticket) else { return }
    switch message {
    case .didFinishLaunching: isLaunched = true
    case .willResignActive, .willEnterForeground: enter(.inactive, &turn)
    case .didEnterBackground where registration.launch == .background && !hasEnteredBackground:
      // The program was launched for an event, and gets the time to handle it.
      wakeLease = Lease(ends: turn.now + turn.policy.wakeRunTime, ticket: ticket)
    case .willTerminate:
      guard case .ending(let reason, _) = exit else { return }
      return kill(reason, &turn)
    default: break
    }
    if message == .didEnterBackground { hasEnteredBackground = true }
  }

  mutating func turnTowardsTarget(_ turn: inout Turn) {
    // A lock or a call may have covered the program since the message was enqueued.
    if isCovered(turn) { mail.drop(.didBecomeActive) }
    guard mail.isEmpty, isStaying, isLaunched else { return }
    followLock(turn)
    guard mail.isEmpty else { return }
    switch (place(turn), state) {
    case (.background, .active), (.background, .inactive): leaveForeground(&turn)
    case (.foreground, .background), (.foreground, .suspended): enterForeground(&turn)
    case (.foreground, .active) where isCovered(turn): mail.enqueue([.willResignActive])
    case (.foreground, .inactive) where !isCovered(turn): mail.enqueue([.didBecomeActive])
    default: break
    }
  }

  private mutating func leaveForeground(_ turn: inout Turn) {
    guard registration.speaks else {
      retry.succeeded()
      return enter(.background, &turn)
    }
    if state == .active { mail.enqueue([.willResignActive]) }
    // "When an app opts out, it ... never enters the background or suspended states."
    guard !registration.settings.exitsOnSuspend else { return end(.exitsOnSuspend, &turn) }
    mail.enqueue([.didEnterBackground])
  }

  private mutating func enterForeground(_ turn: inout Turn) {
    if !isAwake {
      unfreeze(Wake(reason: .operator, line: nil, moment: turn.now), &turn)
      // A lock or an unlock in its sleep comes first; the rest follows when that message has returned.
      followLock(turn)
      guard mail.isEmpty else { return }
    }
    (wakeLease, keepAliveLease) = (nil, nil)
    isAtMessageBoundary = false
    retry.succeeded()
    guard registration.speaks else { return enter(.active, &turn) }
    mail.enqueue([.willEnterForeground])
    if !isCovered(turn) { mail.enqueue([.didBecomeActive]) }
  }

  mutating func end(_ reason: KillReason, _ turn: inout Turn) {
    guard isStaying else { return }
    exit = .ending(reason, limit: turn.now + turn.policy.terminateLimit)
    if registration.speaks {
      mail.replaceQueue(with: mail.queue.filter { $0 == .willResignActive } + [.willTerminate])
    } else {
      turn.perform(.terminate(id))
    }
  }

  mutating func kill(_ reason: KillReason, _ turn: inout Turn) {
    if case .killed = exit { return }
    exit = .killed(reason)
    keepAliveAtEnd = keepAlive
    mail.clear()
    tasks.clear()
    (wakeLease, keepAliveLease, keepAlive, delayedWake, errands) = (nil, nil, nil, nil, [])
    if !playbacks.isEmpty { turn.rearrangesSound = true }
    playbacks.removeAll()
    (lastCategory, hearing, startGrace) = (nil, Hearing(), StartGrace())
    turn.perform(.kill(id, reason))
    turn.note(id, .killed(reason))
  }

  // MARK: Links and pushes

  mutating func take(_ post: Post, _ turn: Turn) -> Engine.Answer {
    guard isStaying, registration.speaks else { return .gone }
    guard posts.count < turn.policy.maximumLinks else {
      return .refused(.busy(isLaunched ? .transition : .launching))
    }
    posts.append(post)
    return .done
  }

  /// A command hears nothing of it, and is only woken.
  mutating func push(_ push: RemoteNotification, _ turn: inout Turn) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard registration.speaks else {
      if isInBackground { wake(.push, line: nil, for: turn.policy.fetchRunTime, &turn) }
      return .done
    }
    guard registration.settings.modes.contains(.remoteNotification) else {
      return .refused(.wrongMode(.remoteNotification))
    }
    return take(.push(push), turn)
  }

  /// In the background the program gets run time for each of them.
  mutating func tellPosts(_ turn: inout Turn) {
    guard !posts.isEmpty, isStaying, isLaunched, mail.isEmpty, registration.speaks else { return }
    let told = posts
    posts.removeAll()
    for post in told {
      switch post {
      case .link(let url):
        if isInBackground { wake(.url, line: nil, for: turn.policy.wakeRunTime, &turn) }
        let ticket = turn.newTicket()
        // The run time of the wake is for the link.
        wakeLease?.ticket = ticket
        turn.perform(.open(id, url, ticket))
      case .push(let push):
        let ticket = isInBackground ? begin(.push, for: .push, &turn) : turn.newTicket()
        turn.perform(.push(id, push, ticket))
        turn.note(id, .pushTold)
      }
    }
  }
}
