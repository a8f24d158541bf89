import LullEngine
import LullWire

extension AudioSessions {
  mutating func take(_ message: MessageFromAudio, _ clock: EngineClock) -> [AudioOutcome] {
    switch message {
    case .began(let id): return session(id).map { began($0) } ?? []
    case .ended(let id): return session(id).map { ended($0) } ?? []
    case .low(let id): return report(.low, on: id)
    case .filled(let id): return report(.filled, on: id)
    case .drained(let id): return report(.drained, on: id)
    case .cut(let id, let reason): return session(id).map { cut($0, reason) } ?? []
    case .route(let news): return take(news)
    // Its news is for the supervisor, which knows to whom lull-audio listens.
    case .streams: return []
    // The program of these sums may have no session any more.
    case .sounding(let program, let scope):
      return [.event(.audibility(AppID(audioNumber: program), scope, .sounding))]
    case .quiet(let program, let scope, let rest):
      let quiet = AudibilityReport.quiet(clock.interval(rest.nanoseconds))
      return [.event(.audibility(AppID(audioNumber: program), scope, quiet))]
    }
  }

  private func report(_ report: SessionReport, on id: SessionID) -> [AudioOutcome] {
    session(id).map { [$0.report(report)] } ?? []
  }

  /// Takes the begin of a session. A session that goes on after a restart is no news for one that gave way to
  /// another.
  private mutating func began(_ session: AudioSession) -> [AudioOutcome] {
    _ = change(session) { $0.play = .begun }
    let news: AudioOutcome =
      if case .unknown = session.play { .playsOn(session.app, session.id) } else { session.report(.began) }
    return [.remark(session.app, nil), news]
  }

  private mutating func ended(_ session: AudioSession) -> [AudioOutcome] {
    _ = change(session) { $0.play = .stopped }
    return [session.report(.ended)]
  }

  private func cut(_ session: AudioSession, _ reason: CutReason) -> [AudioOutcome] {
    [
      .note(session.app, what: "sound-cut", cause: reason.rawValue),
      .remark(session.app, "its sound was given up: \(Self.text(of: reason))"),
      session.report(.cut),
      .notice(.cut(session.id, reason), to: session.client),
      .end(session.app, session.id),
    ]
  }

  private static func text(of reason: CutReason) -> String {
    switch reason {
    case .badPosition: "the positions in its ring contradict each other"
    case .noDevice: "no sound device can be opened; `lull doctor` tells more"
    case .badFormat: "the sound device cannot play its format"
    }
  }

  // MARK: Another lull-audio

  mutating func loseNews() {
    for session in all {
      if case .begun = session.play { _ = change(session) { $0.play = .unknown } }
    }
  }

  /// Ends sessions that played before the restart and do not play after it.
  mutating func missNews() -> [AudioOutcome] {
    var outcomes: [AudioOutcome] = []
    for session in all {
      if case .unknown = session.play { outcomes += ended(session) }
    }
    return outcomes
  }
}

extension AudioSession {
  func report(_ report: SessionReport) -> AudioOutcome { .event(.sound(app, id, report)) }
}
