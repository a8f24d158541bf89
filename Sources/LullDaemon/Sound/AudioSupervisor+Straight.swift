import LullWire

/// What a program plays straight to a sound server.
struct MeasuredStreams {
  /// The processes to whose streams lull-audio listens; none while it does not.
  var clients: [SoundClient] = []
  var state = StraightSound.none
  var silence: Interval?
  /// The session that stands for the streams in the engine.
  var session: SessionID?
}

// Streams that go straight to a sound server: lull-audio measures them as long as it is asked to.
extension AudioSupervisor {
  var listened: [AppID] { straight.ids.filter { straight[$0]?.clients.isEmpty == false } }

  func straight(of app: AppID) -> StraightSound { straight[app]?.state ?? .none }

  func straightSession(of app: AppID) -> SessionID? { straight[app]?.session }

  func setStraightSession(_ session: SessionID, of app: AppID) {
    straight.update(app) { $0.session = session }
  }

  /// Where lull-audio cannot be started, nobody listens.
  func listen(to app: AppID, _ clients: [SoundClient], silence: Interval?) -> [AudioOutcome] {
    guard straight[app]?.clients ?? [] != clients else { return [] }
    let outcomes = leave(app)
    guard !clients.isEmpty else { return outcomes }
    let session = straightSession(of: app)
    straight[app] = MeasuredStreams(clients: clients, silence: silence, session: session)
    if isRunning { tellListen(app) } else { try? start() }
    return outcomes
  }

  @discardableResult
  func leave(_ app: AppID) -> [AudioOutcome] {
    guard straight[app]?.clients.isEmpty == false else { return [] }
    let outcomes = streamsChanged(app, to: .none)
    straight.update(app) { $0.clients = [] }
    tell(.leave(program: app.audioNumber))
    return outcomes
  }

  func streamsChanged(_ app: AppID, to state: StraightSound) -> [AudioOutcome] {
    guard let program = straight[app], !program.clients.isEmpty, program.state != state else { return [] }
    straight.update(app) { $0.state = state }
    guard (program.state == .measured) != (state == .measured) else { return [] }
    return [.straight(app, isMeasured: state == .measured)]
  }

  func tellListen(_ app: AppID) {
    guard let program = straight[app] else { return }
    for client in program.clients {
      let listening = AudioStraight(
        program: app.audioNumber, pid: client.pid, server: client.server, silence: program.silence)
      tell(.listen(listening))
    }
  }
}
