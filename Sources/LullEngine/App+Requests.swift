extension App {
  mutating func hold(
    _ line: LineID, purpose: LinePurpose, offload: Offload, _ turn: inout Turn
  ) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard !registration.settings.modes.isDisjoint(with: purpose.modes) else {
      return .refused(.wrongMode(purpose.modes))
    }
    guard lines.count < turn.policy.maximumLines else {
      return .refused(.tooManyLines(turn.policy.maximumLines))
    }
    insert(HeldLine(id: line, purpose: purpose, offload: offload, lastReal: turn.now))
    turn.note(id, .lineHeld(line, nil))
    return .line(line)
  }

  mutating func release(_ line: LineID, _ turn: inout Turn) -> Engine.Answer {
    guard let index = place(of: line) else { return .refused(.noSuchLine(line)) }
    lines.remove(at: index)
    turn.note(id, .lineReleased(line))
    return .done
  }

  mutating func setKeepAlive(
    _ timeout: Interval?, lastRun: Moment?, since: Moment?, _ turn: inout Turn
  ) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard let timeout else {
      keepAlive = nil
      turn.note(id, .keepAliveSet(nil))
      return .done
    }
    guard registration.settings.modes.contains(.voip) else { return .refused(.wrongMode(.voip)) }
    if let refusal = turn.policy.refusal(ofKeepAlive: timeout) { return .refused(refusal) }
    startKeepAlive(min(timeout, turn.policy.longest), lastRun: lastRun, since: since, &turn)
    return .done
  }

  mutating func startKeepAlive(_ timeout: Interval, lastRun: Moment?, since: Moment?, _ turn: inout Turn) {
    // A run in the future would keep the handler from running at all.
    let told = lastRun.map { min($0, turn.now) }
    let last = [lastKeepAliveRun, told].compactMap(\.self).max()
    lastKeepAliveRun = last
    if keepAlive == nil { keepAliveBase = min(since ?? turn.now, turn.now) }
    keepAlive = KeepAliveWindow(
      timeout: timeout, now: turn.now, base: keepAliveBase, lastRun: last, policy: turn.policy)
    turn.note(id, .keepAliveSet(timeout))
  }

  /// A timer of the program's own goes with this wake, and runs by itself while the program is awake.
  mutating func wakeIn(_ time: Interval?, _ turn: Turn) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard let time else {
      wakeTimer = .never
      return .done
    }
    guard registration.settings.modes.contains(.voip) else { return .refused(.wrongMode(.voip)) }
    wakeTimer = turn.now + time.clamped(to: turn.policy.wakeTimerMinimum...turn.policy.longest)
    return .done
  }

  mutating func beginTask(_ task: TaskID, name: String, _ turn: inout Turn) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard tasks.items.count < turn.policy.maximumTasks else {
      return .refused(.tooManyTasks(turn.policy.maximumTasks))
    }
    let remaining = tasks.remaining(at: turn.now)
    if let remaining, remaining <= turn.policy.expirationLead {
      return .refused(.noBackgroundTime)
    }
    tasks.begin(task, name: name)
    isAtMessageBoundary = false
    turn.note(id, .taskBegan(task))
    return .task(task, remaining: remaining)
  }

  mutating func endTask(_ task: TaskID, _ turn: inout Turn) -> Engine.Answer {
    guard tasks.end(task) else { return .refused(.noSuchTask(task)) }
    turn.note(id, .taskEnded(task))
    return .done
  }

  /// The time for tasks, or the run time that keeps the program awake if that is less. Tasks and sound keep
  /// it awake without a lease of run time, and no run time keeps a command awake that does not speak.
  func remainingTime(_ turn: Turn) -> Engine.Answer {
    let forTasks = tasks.remaining(at: turn.now)
    let runTimes = [wakeLease?.ends, keepAliveLease?.ends].compactMap(\.self) + errands.map(\.ends)
    guard let forTasks, registration.speaks, tasks.isEmpty, soundLeases().isEmpty, let ends = runTimes.max()
    else { return .remaining(forTasks, forTasks: forTasks) }
    return .remaining(min(forTasks, max(.zero, ends - turn.now)), forTasks: forTasks)
  }

  mutating func handle(_ transition: Transition, _ turn: inout Turn) -> Engine.Answer {
    guard isStaying || transition == .quit || transition == .kill else { return .gone }
    guard !registration.isUnmanaged else { return .refused(.isUnmanaged) }
    switch transition {
    case .wake:
      // The operator may be about to end the program; such an end says nothing about the trial.
      trial = .over
      if isInBackground { wake(.operator, line: nil, for: turn.policy.wakeRunTime, &turn) }
    case .foreground:
      target = .foreground
      // "When the user takes a call and then returns to your app while on the call".
      isBehindCall = false
    case .background: target = .background
    case .suspend:
      let blocker = leases(turn.policy).first {
        ![.wake, .keepalive, .fetch, .push, .refill].contains($0.kind)
      }
      if let blocker { return .refused(.busy(blocker.kind)) }
      target = .background
      (wakeLease, keepAliveLease) = (nil, nil)
      endErrands(&turn)
      trial = .over
      retry.succeeded()
    case .quit: quit(&turn)
    case .kill: kill(.quit, &turn)
    }
    return .done
  }

  /// A sleeping command is thawed first, so that a phone unregisters.
  private mutating func quit(_ turn: inout Turn) {
    guard isStaying else { return }
    if !isAwake {
      // "A suspended program gets no message before it is killed."
      guard !registration.speaks else { return kill(.quit, &turn) }
      unfreeze(Wake(reason: .operator, line: nil, moment: turn.now), &turn)
    }
    end(.quit, &turn)
  }

  /// The connection to the daemon is closed while the process lives. A command goes on as if it had never
  /// spoken.
  mutating func fallBackToCommand(_ turn: inout Turn) {
    if !isAwake { unfreeze(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
    if let command = commandRegistration { registration = command }
    turn.rearrangesSound = true
    registration.resumes = nil
    mail.clear()
    lines.removeAll()
    tasks.clear()
    (wakeLease, keepAliveLease, keepAlive, errands) = (nil, nil, nil, [])
    wakeTimer = .never
    isAtMessageBoundary = false
    retry.succeeded()
    target = registration.target
    turn.note(id, .left)
    launchCommand(&turn)
    searchEnds = turn.now + turn.policy.searchTime
  }
}
