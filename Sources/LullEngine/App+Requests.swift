extension App {
  mutating func hold(
    _ line: LineID, _ kind: LineKind, _ offload: Offload, _ request: RequestID, _ turn: inout Turn
  ) {
    let mode: Modes = kind == .voip ? .voip : .externalAccessory
    guard isStaying else { return turn.refuse(request, .gone) }
    guard registration.modes.contains(mode) else { return turn.refuse(request, .wrongMode(mode)) }
    guard lines.count < turn.policy.maximumLines else {
      return turn.refuse(request, .tooManyLines(turn.policy.maximumLines))
    }
    insert(HeldLine(id: line, kind: kind, offload: offload, lastReal: turn.now))
    turn.answer(request, .line(line))
    turn.note(id, .lineHeld(line))
  }

  mutating func release(_ line: LineID, _ request: RequestID, _ turn: inout Turn) {
    guard let index = place(of: line) else {
      return turn.refuse(request, .noSuchLine(line))
    }
    lines.remove(at: index)
    turn.answer(request, .done)
    turn.note(id, .lineReleased(line))
  }

  mutating func setKeepAlive(
    _ timeout: Interval?, lastRun: Moment?, since: Moment?, _ request: RequestID, _ turn: inout Turn
  ) {
    guard isStaying else { return turn.refuse(request, .gone) }
    guard let timeout else {
      keepAlive = nil
      turn.answer(request, .done)
      return turn.note(id, .keepAliveSet(nil))
    }
    guard registration.modes.contains(.voip) else { return turn.refuse(request, .wrongMode(.voip)) }
    guard timeout >= turn.policy.keepAliveMinimum else {
      return turn.refuse(request, .keepAliveTooShort(timeout, minimum: turn.policy.keepAliveMinimum))
    }
    installKeepAlive(min(timeout, turn.policy.longest), lastRun: lastRun, since: since, &turn)
    turn.answer(request, .done)
  }

  mutating func installKeepAlive(_ timeout: Interval, lastRun: Moment?, since: Moment?, _ turn: inout Turn) {
    // A run in the future would keep the handler from running at all.
    let told = lastRun.map { min($0, turn.now) }
    let last = [lastKeepAliveRun, told].compactMap(\.self).max()
    lastKeepAliveRun = last
    if keepAlive == nil { keepAliveBase = min(since ?? turn.now, turn.now) }
    keepAlive = KeepAlive(
      timeout: timeout, now: turn.now, base: keepAliveBase, lastRun: last, policy: turn.policy)
    turn.note(id, .keepAliveSet(timeout))
  }

  mutating func beginTask(_ task: TaskID, _ name: String, _ request: RequestID, _ turn: inout Turn) {
    guard isStaying else { return turn.refuse(request, .gone) }
    guard tasks.items.count < turn.policy.maximumTasks else {
      return turn.refuse(request, .tooManyTasks(turn.policy.maximumTasks))
    }
    let remaining = remainingTime(turn)
    if let remaining, remaining <= turn.policy.expirationLead {
      return turn.refuse(request, .noBackgroundTime)
    }
    tasks.begin(task, name: name)
    vouches = false
    turn.answer(request, .task(task, remaining: remaining))
    turn.note(id, .taskBegan(task))
  }

  mutating func endTask(_ task: TaskID, _ request: RequestID, _ turn: inout Turn) {
    guard tasks.end(task) else { return turn.refuse(request, .noSuchTask(task)) }
    turn.answer(request, .done)
    turn.note(id, .taskEnded(task))
  }

  /// `backgroundTimeRemaining`: nil is unlimited, as in the foreground.
  func remainingTime(_ turn: Turn) -> Interval? { tasks.remaining(at: turn.now) }

  mutating func command(_ command: Command, _ request: RequestID, _ turn: inout Turn) {
    guard isStaying || command == .quit else { return turn.refuse(request, .gone) }
    guard !registration.isGuest else { return turn.refuse(request, .isGuest) }
    switch command {
    case .wake:
      // Whoever wakes it may be about to end it, which says nothing about the trial.
      trial = .over
      if state == .background || state == .suspended {
        wake(.operator, line: nil, turn.policy.wakeRunTime, &turn)
      }
    case .foreground: target = .foreground
    case .background: target = .background
    case .suspend:
      let blocker = leases(turn.policy).first { ![.wake, .keepalive, .refill].contains($0.kind) }
      if let blocker { return turn.refuse(request, .busy(blocker.kind)) }
      target = .background
      (wakeLease, keepAliveLease) = (nil, nil)
      trial = .over
      retry.succeeded()
    case .quit: quit(&turn)
    }
    turn.answer(request, .done)
  }

  private mutating func quit(_ turn: inout Turn) {
    guard isStaying else { return }
    // "A suspended program gets no message before it is killed."
    if isAwake { end(.quit, &turn) } else { kill(.quit, &turn) }
  }

  /// The connection to the daemon is gone while the process lives: a command goes on as if it had never spoken.
  mutating func fallBackToCommand(_ turn: inout Turn) {
    if !isAwake { rouse(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
    if let command = commandRegistration { registration = command }
    turn.rearrangesSound = true
    registration.resumes = nil
    mail.clear()
    lines.removeAll()
    tasks.clear()
    (wakeLease, keepAliveLease, keepAlive) = (nil, nil, nil)
    vouches = false
    retry.succeeded()
    target = registration.target
    turn.note(id, .left)
    launchCommand(&turn)
  }
}
