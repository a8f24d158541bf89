// Sessions of sound: what is told of them, and the leases that they give.
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
    // Until the first frame is played nothing tells it from a program that is idle.
    linger(&turn)
    turn.rearrangesSound = true
    turn.answer(request, .session(session))
    turn.note(id, .sessionOpened(session))
  }

  mutating func endSession(_ session: SessionID, _ request: RequestID, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else {
      return turn.refuse(request, .noSuchSession(session))
    }
    let playback = playbacks.remove(at: index)
    // A player opens another session for the next track: the hangover is the program's.
    let ends = playback.fadeEnds ?? turn.now + hangover(of: playback.session, turn)
    let isAudible = playback.isAudible(at: turn.now) && !playback.session.isDeep
    // What has not kept it awake does not take a freeze back by its end.
    if isAwake, isAudible, ends > afterglow?.ends ?? turn.now {
      afterglow = (playback.session, ends)
    }
    turn.rearrangesSound = true
    turn.answer(request, .done)
    turn.note(id, .sessionEnded(session))
  }

  /// What the player of the sessions tells of one; a session that was ended meanwhile is not known any more.
  mutating func heard(_ session: SessionID, _ report: SoundReport, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else { return }
    switch report {
    case .began: began(index, &turn)
    case .ended: ended(index, &turn)
    case .sounding:
      playbacks[index].sound = .audible
      playbacks[index].lastHeard = turn.now
      hasEarnedGrace = true
    case .quiet(let rest):
      let rest = min(rest, turn.policy.longest)
      playbacks[index].sound = rest > .zero ? .fading(ends: turn.now + rest) : .silent
      playbacks[index].lastHeard = turn.now
    case .low: ranLow(index, &turn)
    case .filled: playbacks[index].need = .none
    case .drained: drained(index, &turn)
    case .resumed: resumed(index, &turn)
    }
    wakeForSound(begins: report == .began, &turn)
  }

  private mutating func began(_ index: Int, _ turn: inout Turn) {
    if playbacks[index].isRunning {
      // Another player took over: it tells everything anew, and may never have heard what the last one heard.
      if case .audible = playbacks[index].sound { fade(index, &turn) }
    } else {
      playbacks[index].claim = .wants(turn.newTicket().number)
      playbacks[index].wasHeard = false
    }
    // What begins in the run time of a refill is no new sound: a silent program could run for ever by it.
    if isAwake, wakeLease?.kind != .refill { playbacks[index].lastHeard = turn.now }
    turn.rearrangesSound = true
    turn.note(id, .soundBegan(playbacks[index].id))
    giveStartGrace(playbacks[index].session, &turn)
  }

  private mutating func ended(_ index: Int, _ turn: inout Turn) {
    playbacks[index].claim = .none
    playbacks[index].need = .none
    // Its player would have told of the silence, had it gone on.
    if case .audible = playbacks[index].sound { fade(index, &turn) }
    turn.rearrangesSound = true
    turn.note(id, .soundEnded(playbacks[index].id))
  }

  mutating func fade(_ index: Int, _ turn: inout Turn) {
    playbacks[index].sound = .fading(ends: turn.now + hangover(of: playbacks[index].session, turn))
  }

  private func hangover(of session: SoundSession, _ turn: Turn) -> Interval {
    .seconds(Int64(turn.policy.audibility.hangover(spoken: session.isSpoken)))
  }

  mutating func giveStartGrace(_ session: SoundSession, _ turn: inout Turn) {
    let rule = turn.policy.audibility
    guard session.direction == .play, !session.isDeep, mayBeHeard(session),
      hasEarnedGrace || graceBegan.map({ turn.now - $0 >= rule.startGracePeriod }) ?? true
    else { return }
    graceBegan = turn.now
    hasEarnedGrace = false
    graceEnds = turn.now + rule.startGrace
  }

  /// A program writes to its ring and may be asleep, or nearly, before its player tells what it plays.
  mutating func wakeForSound(begins: Bool = false, _ turn: inout Turn) {
    guard !isAwake, soundForbidsFreeze || begins && !isAsleep && isBeginningToPlay else { return }
    guard isAsleep else { return rouse(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
    wake(.refill, line: nil, turn.policy.wakeRunTime, &turn)
  }

  /// The half millisecond of the trial is not heard: a program that plays gets it over while it plays, and can sleep
  /// when it falls silent.
  var soundForbidsFreeze: Bool {
    let kinds = soundLeases().map(\.kind)
    guard registration.sleepsByItself, case .due = trial else { return !kinds.isEmpty }
    return kinds.contains { $0 != .audible }
  }

  /// Whether a session plays that is not deep, heard or not.
  var isBeginningToPlay: Bool {
    playbacks.contains {
      $0.isRunning && !$0.session.isDeep && $0.session.direction == .play && mayBeHeard($0.session)
    }
  }

  /// The leases that sound gives, in the order of `LeaseKind`.
  func soundLeases() -> [LeaseView] {
    guard !playbacks.isEmpty || afterglow != nil else { return [] }
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
    let heard = playbacks.filter {
      $0.session.direction == .play && !$0.session.isDeep && mayBeHeard($0.session)
    }
    if heard.contains(where: { $0.isHeard }) {
      return LeaseView(kind: .audible, ends: nil)
    }
    var ends = heard.compactMap(\.fadeEnds)
    if let graceEnds, !heard.isEmpty { ends.append(graceEnds) }
    if let afterglow, mayBeHeard(afterglow.session) { ends.append(afterglow.ends) }
    return ends.max().map { LeaseView(kind: .audible, ends: $0) }
  }

  var soundDeadline: Moment {
    let own = min(graceEnds ?? .never, afterglow?.ends ?? .never)
    guard !playbacks.isEmpty else { return own }
    return min(playbacks.compactMap(\.fadeEnds).min() ?? .never, own)
  }

  mutating func fadeSound(_ turn: inout Turn) {
    guard soundDeadline <= turn.now else { return }
    let wasHeld = audibleLease != nil
    for index in playbacks.indices {
      guard let ends = playbacks[index].fadeEnds, ends <= turn.now else { continue }
      playbacks[index].sound = .silent
    }
    if let ends = graceEnds, ends <= turn.now { graceEnds = nil }
    if let ends = afterglow?.ends, ends <= turn.now { afterglow = nil }
    if wasHeld, audibleLease == nil { turn.note(id, .leaseEnded(.audible, overrun: false)) }
  }
}
