extension Renderer {
  /// The nanoseconds until a session can make the device give frames back once more.
  private static let takeBackPause: Int64 = 10_000_000

  /// Takes unplayed frames back from the device, as far as possible, and renders them again. `isShared`:
  /// other programs than the one that asks play there.
  func takeBack(isShared: Bool) {
    output.takeBack(isShared: isShared)
    cutBack()
    advance(now: output.measuredAt)
  }

  /// Renders again the frames behind the end of the written ones.
  func cutBack() {
    for session in sessions {
      session.pullFade(to: output.written)
      if session.isOnItsWay(behind: output.written) { session.takeBack(to: output.written) }
    }
    for ear in ears { ear.cut(at: output.written) }
  }

  /// True when a session may cause frames to come back. A device that must be stopped for it makes a gap in
  /// the sound of others.
  func mayTakeBack(_ session: PlaySession, now: Int64) -> Bool {
    !isShared(session) || output.canRewind || session.ear?.patience.grants(now: now) ?? true
  }

  /// True when other programs play beside the session's program.
  func isShared(_ session: PlaySession) -> Bool {
    sessions.contains { $0.ear !== session.ear && $0.isOnItsWay(behind: output.played) }
  }

  func lookAtWords(now: Int64) {
    var (mustTakeBack, isShared) = (false, false)
    for session in sessions where session.lookAt <= now {
      let isOnItsWay = session.isOnItsWay(behind: output.played)
      switch session.look(isOnItsWay: isOnItsWay, canRewind: output.canRewind) {
      case .fine: continue
      case .takeBack: session.lookAt = now + Self.takeBackPause
      case .lie:
        cut(session, .badPosition)
        guard isOnItsWay else { continue }
      }
      guard mayTakeBack(session, now: now) else { continue }
      (mustTakeBack, isShared) = (true, isShared || self.isShared(session))
    }
    if mustTakeBack { takeBack(isShared: isShared) }
    for session in sessions { session.applyGain(played: output.played) }
  }
}
