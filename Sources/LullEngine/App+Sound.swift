// Sessions of sound: what is told of them, and what begins and ends with them.
extension App {
  /// Whether a session is heard where the program is: "the system silences apps without the background mode".
  func mayBeHeard(_ session: SoundSession) -> Bool { mayBeHeard(session.category) }

  func mayBeHeard(_ category: AudioCategory) -> Bool {
    guard isInBackground else { return true }
    return category.survivesBackground && registration.modes.contains(.audio)
  }

  private var isInBackground: Bool { state == .background || state == .suspended }

  mutating func openSession(
    _ session: SessionID, _ declared: SoundSession, _ request: RequestID, _ turn: inout Turn
  ) {
    guard isStaying else { return turn.refuse(request, .gone) }
    guard playbacks.count < turn.policy.maximumSessions else {
      return turn.refuse(request, .tooManySessions(turn.policy.maximumSessions))
    }
    playbacks.append(Playback(id: session, session: declared))
    // Until the first frame is played nothing tells it from a program that is idle.
    if startGrace.lingers(at: turn.now, turn.policy.audibility) { linger(&turn) }
    turn.rearrangesSound = true
    turn.answer(request, .session(session))
    turn.note(id, .sessionOpened(session))
  }

  mutating func endSession(_ session: SessionID, _ request: RequestID, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else {
      return turn.refuse(request, .noSuchSession(session))
    }
    let ended = playbacks.remove(at: index)
    if ended.isLive { lastCategory = ended.session.category }
    turn.rearrangesSound = true
    turn.answer(request, .done)
    turn.note(id, .sessionEnded(session))
  }

  /// What the player of the sessions tells of one; a session that was ended meanwhile is not known any more.
  mutating func sound(_ session: SessionID, _ report: SoundReport, _ turn: inout Turn) {
    guard let index = playbacks.firstIndex(where: { $0.id == session }) else { return }
    fadeSound(&turn)
    switch report {
    case .began: began(index, &turn)
    case .ended: ended(index, &turn)
    case .low: ranLow(index, &turn)
    case .filled: playbacks[index].need = .none
    case .drained: drained(index, &turn)
    case .resumed: resumed(index, &turn)
    }
    wakeForSound(begins: report == .began, &turn)
  }

  /// What the player of the sessions hears of the program.
  mutating func heard(_ scope: SoundScope, _ report: HeardReport, _ turn: inout Turn) {
    guard isStaying else { return }
    fadeSound(&turn)
    let spoken = registration.silence ?? .seconds(Int64(turn.policy.audibility.spokenHangoverSeconds))
    if report == .sounding || hearing.isSounding(scope) { startGrace.wasHeard() }
    hearing.told(scope, report, spoken: spoken, turn)
    if playbacks.contains(where: { isConversation($0.session) }) { turn.rearrangesSound = true }
    wakeForSound(&turn)
  }

  private mutating func began(_ index: Int, _ turn: inout Turn) {
    turn.rearrangesSound = true
    turn.note(id, .soundBegan(playbacks[index].id))
    // Another player took over, and tells everything anew.
    guard !playbacks[index].isRunning else { return }
    playbacks[index].claim = .wants(turn.newTicket().number)
    giveStartGrace(playbacks[index].session, &turn)
  }

  private mutating func ended(_ index: Int, _ turn: inout Turn) {
    playbacks[index].claim = .none
    playbacks[index].need = .none
    turn.rearrangesSound = true
    turn.note(id, .soundEnded(playbacks[index].id))
  }

  /// In the foreground nothing is won by it.
  @discardableResult
  mutating func giveStartGrace(_ session: SoundSession, _ turn: inout Turn) -> Bool {
    guard session.direction == .play, mayBeHeard(session) else { return false }
    return startGrace.begin(isFree: !isInBackground, at: turn.now, turn.policy.audibility)
  }

  /// A program writes to its ring and may be asleep, or nearly, before its player tells what it plays.
  mutating func wakeForSound(begins: Bool = false, _ turn: inout Turn) {
    let takesBack = begins && !isAsleep && isBeginningToPlay && (wakeLease ?? keepAliveLease) != nil
    guard !isAwake, isStaying, soundForbidsFreeze || takesBack else { return }
    guard isAsleep else { return rouse(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
    wake(.refill, line: nil, turn.policy.wakeRunTime, &turn)
  }

  /// Whether a session plays that is not deep, heard or not.
  var isBeginningToPlay: Bool {
    playbacks.contains { $0.isRunning && $0.isLive && mayBeHeard($0.session) }
  }

  var soundDeadline: Moment {
    min(startGrace.ends ?? .never, hearing.deadline, isAsleep ? silentRefills.due : .never)
  }

  mutating func fadeSound(_ turn: inout Turn) {
    guard min(startGrace.ends ?? .never, hearing.deadline) <= turn.now else { return }
    let held = soundLeases().map(\.kind)
    startGrace.fade(at: turn.now)
    hearing.fade(at: turn.now)
    let left = soundLeases().map(\.kind)
    for kind in held where !left.contains(kind) { turn.note(id, .leaseEnded(kind, overrun: false)) }
    if held.contains(.call), !left.contains(.call) { turn.rearrangesSound = true }
  }
}
