// The leases of sound. They follow from the reports of lull-audio, and from nothing that a program says of
// itself.
extension App {
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

  /// The lease of sessions that are not deep, with the hangover, and with the start grace of a session that
  /// plays.
  private var audibleLease: LeaseView? {
    let mayLast = lastCategory.map { mayBeHeard($0) } ?? false
    if mayLast || playbacks.contains(where: { $0.isLive && mayBeHeard($0.session) }) {
      if hearing.isSounding(.live) { return LeaseView(kind: .audible, ends: nil) }
      let hasBegun = playbacks.contains { $0.hasBegun && $0.isLive && mayBeHeard($0.session) }
      let grace = hasBegun ? startGrace.ends : nil
      return [hearing.fadeEnds(.live), grace].compactMap(\.self).max()
        .map { LeaseView(kind: .audible, ends: $0) }
    }
    return nil
  }

  /// The time since the last sound of a session that goes on playing; nil without one.
  func pause(at now: Moment) -> Interval? { isBeginningToPlay ? hearing.quietSince.map { now - $0 } : nil }

  var isRecording: Bool {
    playbacks.contains { $0.isRunning && $0.session.records && mayBeHeard($0.session) }
  }

  func isConversation(_ session: SessionTraits) -> Bool {
    session.category == .playAndRecord && registration.settings.modes.contains(.voip)
  }

  /// A silent session that is declared as a call gets none.
  var callLease: LeaseView? {
    let runs = playbacks.contains { $0.isRunning && isConversation($0.session) && mayBeHeard($0.session) }
    guard runs else { return nil }
    if isRecording || hearing.isSounding(.live) { return LeaseView(kind: .call, ends: nil) }
    return [hearing.fadeEnds(.live), hearing.callEnds, startGrace.ends].compactMap(\.self).max()
      .map { LeaseView(kind: .call, ends: $0) }
  }
}
