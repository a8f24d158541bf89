// The lifecycle of commands: programs that know nothing of Lull and are put to sleep whenever they are idle.
extension App {
  mutating func waitForObservation(_ reason: WakeReason, _ turn: inout Turn) {
    guard registration.sleepsByItself else { return }
    switch reason {
    case .data, .accept, .accessory, .location, .bluetooth, .closed, .error, .child, .writable, .refill,
      .signal:
      retry.wait(until: turn.now + turn.policy.idleFirst)
    case .keepalive, .notification, .operator, .timer, .unfrozen, .network, .resumed, .url, .fetch, .push,
      .lock:
      linger(&turn)
    }
  }

  /// An answer may come to what the command sends now.
  mutating func linger(_ turn: inout Turn) {
    guard registration.sleepsByItself else { return }
    retry.wait(until: turn.now + (registration.settings.linger ?? turn.policy.linger))
  }

  mutating func endTrial(_ turn: inout Turn) {
    trial = .watched(turn.now)
    sleep = .awake
    retry.succeeded()
    retry.settle(until: turn.now + turn.policy.trialObservation)
    turn.perform(.thaw(id))
    silentRefills.settled()
    tellMissed(&turn)
    turn.note(id, .trialFrozen)
  }

  func diedOfTrial(_ status: ExitStatus, _ turn: Turn) -> Bool {
    guard isStaying, case .watched(let moment) = trial, turn.now - moment <= turn.policy.trialBlame
    else { return false }
    return status != .exited(0) && status != .unknown
  }

  mutating func lineFound(
    _ line: LineID, purpose: LinePurpose, origin: LineOrigin, text: String, _ turn: inout Turn
  ) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard lines.count < turn.policy.maximumLines else {
      return .refused(.tooManyLines(turn.policy.maximumLines))
    }
    insert(HeldLine(id: line, purpose: purpose, offload: [], origin: origin, lastReal: turn.now))
    turn.note(id, .lineHeld(line, text))
    return .line(line)
  }

  mutating func childEnded(_ turn: inout Turn) {
    guard isStaying, !isAwake else { return }
    wake(.child, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// A command may say goodbye to its servers first and wait for them, and must not sleep meanwhile.
  mutating func ending(_ turn: inout Turn) {
    guard isStaying else { return }
    trial = .over
    askedToEnd = turn.now
    guard isInBackground else { return }
    wake(
      .operator, line: nil,
      for: registration.sleepsByItself ? turn.policy.endingTime : turn.policy.wakeRunTime,
      &turn)
    wakeLease?.isHeldUntilExpiry = true
    retry.wait(until: turn.now + turn.policy.linger)
  }

  /// A program that says `done` to the wake may not have handled the signal yet.
  mutating func signalled(_ turn: inout Turn) {
    guard isStaying else { return }
    trial = .over
    guard isInBackground else { return }
    wake(.operator, line: nil, for: turn.policy.wakeRunTime, &turn)
    // SIGCONT may have let it go on. The next try would show that, but sound may forbid it for long.
    if retry.last?.why == .stopped { retry.succeeded() }
    retry.wait(until: turn.now + turn.policy.linger)
  }

  mutating func keepPathsOpen(_ turn: inout Turn) {
    guard isAsleep, pathsDue <= turn.now, let interval = registration.settings.udpKeepAlive else { return }
    pathsDue = turn.now + interval
    turn.perform(.keepPathsOpen(id))
  }
}
