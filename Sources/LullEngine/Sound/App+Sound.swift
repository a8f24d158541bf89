extension App {
  /// True when a session is heard where the program is: "the system silences apps without the background
  /// mode".
  func mayBeHeard(_ session: SessionTraits) -> Bool { mayBeHeard(session.category) }

  func mayBeHeard(_ category: AudioCategory) -> Bool {
    guard isInBackground else { return true }
    return category.survivesBackground && registration.settings.modes.contains(.audio)
  }

  private var isInBackground: Bool { state == .background || state == .suspended }

  mutating func openSession(
    _ session: SessionID, as declared: SessionTraits, _ turn: inout Turn
  ) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard playbacks.count < turn.policy.maximumSessions else {
      return .refused(.tooManySessions(turn.policy.maximumSessions))
    }
    playbacks.append(Playback(id: session, session: declared))
    // Until its first frame is played, the program cannot be told from an idle one.
    if startGrace.lingers(at: turn.now, turn.policy.audibility) { linger(&turn) }
    turn.rearrangesSound = true
    turn.note(id, .sessionOpened(session))
    return .session(session)
  }

  mutating func endSession(_ session: SessionID, _ turn: inout Turn) -> Engine.Answer {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else {
      return .refused(.noSuchSession(session))
    }
    let ended = playbacks.remove(at: index)
    if ended.isLive { lastCategory = ended.session.category }
    turn.rearrangesSound = true
    turn.note(id, .sessionEnded(session))
    return .done
  }

  /// A session that was ended meanwhile is no longer known.
  mutating func sound(of session: SessionID, _ report: SessionReport, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else { return }
    fadeSound(&turn)
    switch report {
    case .began: began(index, &turn)
    case .ended: ended(index, &turn)
    case .low: ranLow(index, &turn)
    case .filled: playbacks[index].need = .none
    case .drained: drained(index, &turn)
    case .resumed: resumed(index, &turn)
    case .cut: wasCut(&turn)
    }
    wakeForSound(begins: report == .began, &turn)
  }

  mutating func note(in scope: AudioScope, _ report: AudibilityReport, _ turn: inout Turn) {
    guard isStaying else { return }
    fadeSound(&turn)
    let spoken =
      registration.settings.silence ?? .seconds(Int64(turn.policy.audibility.spokenHangoverSeconds))
    if report == .sounding || hearing.isSounding(scope) { startGrace.wasHeard() }
    hearing.told(in: scope, report, spoken: spoken, turn)
    rearrangeForCall(&turn)
    wakeForSound(&turn)
  }

  /// A conversation becomes a call, or stops being one, with nothing but the sound of its program.
  private func rearrangeForCall(_ turn: inout Turn) {
    if playbacks.contains(where: { isConversation($0.session) }) { turn.rearrangesSound = true }
  }

  private mutating func began(_ index: Int, _ turn: inout Turn) {
    turn.rearrangesSound = true
    turn.note(id, .soundBegan(playbacks[index].id))
    // Another lull-audio took over, and reports everything anew.
    guard !playbacks[index].isRunning else { return }
    playbacks[index].focus = .wants(turn.newTicket().number)
    giveStartGrace(playbacks[index].session, &turn)
  }

  private mutating func ended(_ index: Int, _ turn: inout Turn) {
    playbacks[index].focus = .none
    playbacks[index].need = .none
    turn.rearrangesSound = true
    turn.note(id, .soundEnded(playbacks[index].id))
  }

  /// In the foreground a grace is free, since nothing is won by it.
  mutating func giveStartGrace(_ session: SessionTraits, _ turn: inout Turn) {
    guard session.direction == .play, mayBeHeard(session) else { return }
    guard startGrace.begin(isFree: !isInBackground, at: turn.now, turn.policy.audibility) else { return }
    rearrangeForCall(&turn)
  }

  /// A program writes to its ring and may be asleep, or nearly, before lull-audio reports what it plays.
  mutating func wakeForSound(begins: Bool = false, _ turn: inout Turn) {
    let takesBack = begins && !isAsleep && isBeginningToPlay && (wakeLease ?? keepAliveLease) != nil
    guard !isAwake, isStaying, soundForbidsFreeze || takesBack else { return }
    guard isAsleep else { return unfreeze(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
    wake(.refill, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// True while a session plays that is not deep, heard or not.
  var isBeginningToPlay: Bool {
    playbacks.contains { $0.isRunning && $0.isLive && mayBeHeard($0.session) }
  }

  var soundDeadline: Moment { min(fadeDeadline, isAsleep ? silentRefills.due : .never) }
  var fadeDeadline: Moment { min(startGrace.ends ?? .never, hearing.deadline) }

  mutating func fadeSound(_ turn: inout Turn) {
    guard fadeDeadline <= turn.now else { return }
    let held = soundLeases().map(\.kind)
    startGrace.fade(at: turn.now)
    hearing.fade(at: turn.now)
    let left = soundLeases().map(\.kind)
    for kind in held where !left.contains(kind) { turn.note(id, .leaseEnded(kind, overrun: false)) }
    if held.contains(.call), !left.contains(.call) { turn.rearrangesSound = true }
  }
}
