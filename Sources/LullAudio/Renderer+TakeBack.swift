internal import LullSystem

/// Taking back what the device was given and has not played.
extension Renderer {
  /// After this a session can make the device take frames back once more.
  private static let takeBackPause: Int64 = 10_000_000

  /// What is not heard yet comes back from the device, as far as it can, and is rendered again. `isShared`:
  /// others are heard there than who wants it.
  func takeBack(isShared: Bool) {
    output.takeBack(isShared: isShared)
    cutBack()
    advance(now: output.measuredAt)
  }

  /// What lies behind the end of what was written is rendered again.
  func cutBack() {
    for session in sessions {
      session.envelope.pull(to: output.written)
      if session.isOnItsWay(behind: output.written) { session.takeBack(to: output.written) }
    }
    for ear in ears { ear.cut(at: output.written) }
  }

  /// Whether frames may come back because of what a session does. A device that has to be stopped for it
  /// makes a gap in what others play.
  func mayTakeBack(_ session: PlaySession, now: Int64) -> Bool {
    !isShared(session) || output.canRewind || session.ear?.patience.grants(now: now) ?? true
  }

  /// Other programs are heard beside it.
  func isShared(_ session: PlaySession) -> Bool {
    sessions.contains { $0.ear !== session.ear && $0.isOnItsWay(behind: output.heard) }
  }

  func lookAtWords(now: Int64) {
    var (mustTakeBack, isShared) = (false, false)
    for session in sessions where session.lookAt <= now {
      let isOnItsWay = session.isOnItsWay(behind: output.heard)
      switch session.look(isOnItsWay: isOnItsWay, canRewind: output.canRewind) {
      case .fine: continue
      case .takeBack: session.lookAt = now + Self.takeBackPause
      case .lie:
        cut(session, .badPosition, .badPosition)
        guard isOnItsWay else { continue }
      }
      guard mayTakeBack(session, now: now) else { continue }
      (mustTakeBack, isShared) = (true, isShared || self.isShared(session))
    }
    if mustTakeBack { takeBack(isShared: isShared) }
    for session in sessions { session.applyGain(heard: output.heard) }
  }
}
