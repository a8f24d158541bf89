extension App {
  /// Whether a session is heard where the program is: "the system silences apps without the background mode".
  func mayBeHeard(_ session: SoundSession) -> Bool {
    guard state == .background || state == .suspended else { return true }
    let isCall = session.category == .playAndRecord && registration.modes.contains(.voip)
    return session.category.survivesBackground && (registration.modes.contains(.audio) || isCall)
  }

  func isCall(_ session: SoundSession) -> Bool {
    session.category == .playAndRecord && registration.modes.contains(.voip)
  }

  mutating func openSession(
    _ session: SessionID, _ declared: SoundSession, _ request: RequestID, _ turn: inout Turn
  ) {
    guard isStaying else { return turn.refuse(request, .gone) }
    guard playbacks.count < turn.policy.maximumSessions else {
      return turn.refuse(request, .tooManySessions(turn.policy.maximumSessions))
    }
    playbacks.append(Playback(id: session, session: declared, now: turn.now))
    turn.rearrangesSound = true
    turn.answer(request, .session(session))
    turn.note(id, .sessionOpened(session))
  }

  mutating func endSession(_ session: SessionID, _ request: RequestID, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else {
      return turn.refuse(request, .noSuchSession(session))
    }
    playbacks.remove(at: index)
    interruptions.removeAll { $0.session == session }
    turn.rearrangesSound = true
    turn.answer(request, .done)
    turn.note(id, .sessionEnded(session))
  }

  /// What the player of the sessions tells of one; a session that was ended meanwhile is not known any more.
  mutating func heard(_ session: SessionID, _ report: SoundReport, _ turn: inout Turn) {
    guard isStaying, let index = playbacks.firstIndex(where: { $0.id == session }) else { return }
    switch report {
    case .began: began(index, &turn)
    case .ended:
      playbacks[index].claim = .none
      playbacks[index].need = .none
      if case .audible = playbacks[index].sound {
        // Its player would have told of the silence, had it gone on.
        playbacks[index].sound = .fading(ends: turn.now + turn.policy.audibility.hangover)
      }
      turn.rearrangesSound = true
      turn.note(id, .soundEnded(session))
    case .sounding:
      playbacks[index].sound = .audible
      playbacks[index].lastHeard = turn.now
    case .quiet(let rest):
      playbacks[index].sound = rest > .zero ? .fading(ends: turn.now + rest) : .silent
      playbacks[index].lastHeard = turn.now
    case .low: ranLow(index, &turn)
    case .filled: playbacks[index].need = .none
    }
  }

  private mutating func began(_ index: Int, _ turn: inout Turn) {
    playbacks[index].claim = .wants(turn.newTicket().number)
    playbacks[index].lastHeard = turn.now
    turn.rearrangesSound = true
    turn.note(id, .soundBegan(playbacks[index].id))
    let rule = turn.policy.audibility
    guard playbacks[index].session.direction == .play, mayBeHeard(playbacks[index].session),
      graceBegan.map({ turn.now - $0 >= rule.gracePeriod }) ?? true
    else { return }
    graceBegan = turn.now
    graceEnds = turn.now + rule.startGrace
  }

  /// The program sleeps while its buffer is heard, and is woken in time to fill it. What has been silent for long is
  /// filled no more: a silent program has no claim to run.
  private mutating func ranLow(_ index: Int, _ turn: inout Turn) {
    let playback = playbacks[index]
    guard playback.session.isDeep else { return }
    guard !isAwake else { return playbacks[index].need = .unheeded }
    guard turn.now - playback.lastHeard < turn.policy.silentRefills || playback.isAudible else { return }
    playbacks[index].need = .woken
    wakeToRefill(isHeard: playback.isAudible, &turn)
  }

  private mutating func wakeToRefill(isHeard: Bool, _ turn: inout Turn) {
    wake(.refill, line: nil, isHeard ? turn.policy.wakeRunTime : turn.policy.silentRefillTime, &turn)
  }

  /// The buffer ran low while the program was on its way to sleep: nobody has filled it.
  mutating func refillUnheeded(_ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { if case .unheeded = $0.need { true } else { false } })
    else { return }
    ranLow(index, &turn)
  }

  /// The leases that sound gives, in the order of `LeaseKind`.
  func soundLeases() -> [LeaseView] {
    guard !playbacks.isEmpty else { return [] }
    var leases: [LeaseView] = []
    if let audible = audibleLease { leases.append(audible) }
    let running = playbacks.filter { $0.isRunning && mayBeHeard($0.session) }
    if running.contains(where: { $0.session.direction == .capture }) {
      leases.append(LeaseView(kind: .recording, ends: nil))
    }
    if running.contains(where: { isCall($0.session) }) { leases.append(LeaseView(kind: .call, ends: nil)) }
    return leases
  }

  /// A deep buffer is heard without its program.
  private var audibleLease: LeaseView? {
    let heard = playbacks.filter { $0.isAudible && !$0.session.isDeep && mayBeHeard($0.session) }
    let goesOn = heard.contains { $0.fadeEnds == nil }
    let ends = (heard.compactMap(\.fadeEnds) + [graceEnds].compactMap(\.self)).max()
    guard goesOn || ends != nil else { return nil }
    return LeaseView(kind: .audible, ends: goesOn ? nil : ends)
  }

  var soundDeadline: Moment {
    guard !playbacks.isEmpty || graceEnds != nil else { return .never }
    return min(playbacks.compactMap(\.fadeEnds).min() ?? .never, graceEnds ?? .never)
  }

  mutating func fadeSound(_ turn: inout Turn) {
    guard soundDeadline <= turn.now else { return }
    for index in playbacks.indices {
      guard let ends = playbacks[index].fadeEnds, ends <= turn.now else { continue }
      playbacks[index].sound = .silent
    }
    if let ends = graceEnds, ends <= turn.now { graceEnds = nil }
    if audibleLease == nil { turn.note(id, .leaseEnded(.audible, overrun: false)) }
  }

  /// Tells what a sleeping program has missed, in its latest state, before it is told why it woke.
  mutating func tellInterruptions(_ turn: inout Turn) {
    for notice in interruptions { turn.perform(.interruption(id, notice.session, notice.change)) }
    interruptions.removeAll()
    if missedRoute { turn.perform(.route(id)) }
    missedRoute = false
  }

  mutating func interrupt(_ session: SessionID, _ change: Interruption, _ turn: inout Turn) {
    turn.note(id, .interrupted(session, change))
    guard isAsleep else { return turn.perform(.interruption(id, session, change)) }
    interruptions.removeAll { $0.session == session }
    interruptions.append((session, change))
  }

  mutating func routeChanged(_ turn: inout Turn) {
    guard isStaying, !playbacks.isEmpty else { return }
    if isAsleep { missedRoute = true } else { turn.perform(.route(id)) }
  }
}
