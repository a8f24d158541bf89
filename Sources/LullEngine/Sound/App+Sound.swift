extension App {
  /// "The system silences apps without the background mode."
  func mayBeHeard(_ playback: Playback) -> Bool {
    !isDenied(playback) && mayBeHeard(playback.session.category)
  }

  /// lull-audio has given a denied session up, also when the program is allowed again in its sleep.
  func isDenied(_ playback: Playback) -> Bool { playback.order == .deny || isDenied(playback.session) }

  func isDenied(_ session: SessionTraits) -> Bool {
    isRecordingDenied && session.direction == .capture
  }

  func mayBeHeard(_ category: AudioCategory) -> Bool {
    guard isInBackground else { return true }
    return category.survivesBackground && registration.settings.modes.contains(.audio)
  }

  mutating func openSession(
    _ session: SessionID, as declared: SessionTraits, _ turn: inout Turn
  ) -> Engine.Answer {
    guard isStaying else { return .gone }
    guard playbacks.count < turn.policy.maximumSessions else {
      return .refused(.tooManySessions(turn.policy.maximumSessions))
    }
    guard !isDenied(declared) else { return .refused(.recordingDenied(registration.name)) }
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

  /// The program may have ended the session meanwhile.
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

  /// In the foreground a grace is free, since the program wins nothing by it.
  mutating func giveStartGrace(_ session: SessionTraits, _ turn: inout Turn) {
    guard session.direction == .play, mayBeHeard(session.category) else { return }
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

  /// A session that is not deep plays, heard or not.
  var isBeginningToPlay: Bool {
    playbacks.contains { $0.isRunning && $0.isLive && mayBeHeard($0) }
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

  // MARK: The leases of sound. They follow from the reports of lull-audio, and from nothing that a program
  // says of itself.

  /// The trial takes half a millisecond, which cannot be heard. A program that plays has its trial while it
  /// plays, and can sleep when it falls silent.
  var soundForbidsFreeze: Bool {
    let kinds = soundLeases().map(\.kind)
    guard registration.sleepsByItself, case .due = trial else { return !kinds.isEmpty }
    return kinds.contains { $0 != .audible }
  }

  /// The leases are in the order of `LeaseKind`.
  func soundLeases() -> [LeaseView] {
    guard !playbacks.isEmpty || lastCategory != nil else { return [] }
    var leases: [LeaseView] = []
    if let audible = audibleLease { leases.append(audible) }
    if isRecording { leases.append(LeaseView(kind: .recording, ends: nil)) }
    if let call = callLease { leases.append(call) }
    return leases
  }

  /// Sessions that are not deep get the hangover, and the start grace while one of them plays.
  private var audibleLease: LeaseView? {
    let mayLast = lastCategory.map { mayBeHeard($0) } ?? false
    if mayLast || playbacks.contains(where: { $0.isLive && mayBeHeard($0) }) {
      if hearing.isSounding(.live) { return LeaseView(kind: .audible, ends: nil) }
      let hasBegun = playbacks.contains { $0.hasBegun && $0.isLive && mayBeHeard($0) }
      let grace = hasBegun ? startGrace.ends : nil
      return [hearing.fadeEnds(.live), grace].compactMap(\.self).max()
        .map { LeaseView(kind: .audible, ends: $0) }
    }
    return nil
  }

  /// The time since the last sound of a session that goes on playing.
  func pause(at now: Moment) -> Interval? { isBeginningToPlay ? hearing.quietSince.map { now - $0 } : nil }

  var isRecording: Bool {
    playbacks.contains { $0.isRunning && $0.session.records && mayBeHeard($0) }
  }

  func isConversation(_ session: SessionTraits) -> Bool {
    session.category == .playAndRecord && registration.settings.modes.contains(.voip)
  }

  /// A session that is declared as a call, but silent, gets no lease.
  var callLease: LeaseView? {
    let runs = playbacks.contains { $0.isRunning && isConversation($0.session) && mayBeHeard($0) }
    guard runs else { return nil }
    if isRecording || hearing.isSounding(.live) { return LeaseView(kind: .call, ends: nil) }
    return [hearing.fadeEnds(.live), hearing.callEnds, startGrace.ends].compactMap(\.self).max()
      .map { LeaseView(kind: .call, ends: $0) }
  }
}

extension AudioCategory {
  fileprivate var survivesBackground: Bool {
    switch self {
    case .ambient, .soloAmbient: false
    case .playback, .record, .playAndRecord: true
    }
  }
}
