// What only concerns commands: programs that know nothing of Lull and are put to sleep whenever they are
// idle.
extension App {
  /// Sets the moment of the first look at a command that was woken.
  mutating func waitForLook(_ reason: WakeReason, _ turn: inout Turn) {
    guard registration.sleepsByItself else { return }
    switch reason {
    case .data, .accept, .accessory, .closed, .error, .child, .writable, .refill:
      retry.wait(until: turn.now + turn.policy.idleFirst)
    case .keepalive, .notification, .operator, .timer, .unfrozen: linger(&turn)
    }
  }

  /// Leaves a command awake for a while, because what it sends now may be answered.
  mutating func linger(_ turn: inout Turn) {
    guard registration.sleepsByItself else { return }
    retry.wait(until: turn.now + (registration.linger ?? turn.policy.linger))
  }

  /// The command has been frozen for the first time: it is thawed at once and watched.
  mutating func endTrial(_ turn: inout Turn) {
    trial = .watched(turn.now)
    sleep = .awake
    retry.succeeded()
    retry.wait(until: turn.now + turn.policy.trialObservation)
    turn.perform(.thaw(id))
    silentRefills.settled()
    tellMissed(&turn)
    turn.note(id, .trialFrozen)
  }

  /// Whether a command that ended so did it because it was frozen and thawed.
  func diedOfTrial(_ status: ExitStatus, _ turn: Turn) -> Bool {
    guard isStaying, case .watched(let moment) = trial, turn.now - moment <= turn.policy.trialBlame
    else { return false }
    return status != .exited(0) && status != .unknown
  }

  mutating func lineFound(
    _ line: LineID, _ kind: LineKind, _ origin: LineOrigin, _ request: RequestID, _ turn: inout Turn
  ) {
    guard isStaying else { return turn.refuse(request, .gone) }
    guard lines.count < turn.policy.maximumLines else {
      return turn.refuse(request, .tooManyLines(turn.policy.maximumLines))
    }
    insert(HeldLine(id: line, kind: kind, offload: [], origin: origin, lastReal: turn.now))
    turn.answer(request, .line(line))
    turn.note(id, .lineHeld(line))
  }

  /// A sleeping parent waits for the news like for a byte.
  mutating func childEnded(_ turn: inout Turn) {
    guard isStaying, !isAwake else { return }
    wake(.child, line: nil, turn.policy.wakeRunTime, &turn)
  }

  /// A command that says goodbye to its servers first may wait for them, and must not sleep meanwhile.
  mutating func ending(_ turn: inout Turn) {
    guard isStaying else { return }
    trial = .over
    guard state == .background || state == .suspended else { return }
    wake(
      .operator, line: nil, registration.sleepsByItself ? turn.policy.endingTime : turn.policy.wakeRunTime,
      &turn)
    wakeLease?.isFirm = true
    retry.wait(until: turn.now + turn.policy.linger)
  }

  /// One that says `done` to the wake may not have looked at the signal yet.
  mutating func signalled(_ turn: inout Turn) {
    guard isStaying else { return }
    trial = .over
    guard state == .background || state == .suspended else { return }
    wake(.operator, line: nil, turn.policy.wakeRunTime, &turn)
    retry.wait(until: turn.now + turn.policy.linger)
  }

  mutating func keepPathsOpen(_ turn: inout Turn) {
    guard isAsleep, pathsDue <= turn.now, let interval = registration.udpKeepAlive else { return }
    pathsDue = turn.now + interval
    turn.perform(.keepPathsOpen(id))
  }
}
