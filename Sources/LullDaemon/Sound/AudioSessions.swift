import LullChannel
import LullEngine
import LullWire

/// The sessions of every program, in the order of the programs' slots and then of their opening.
struct AudioSessions {
  private struct ProgramSound {
    var sessions: [AudioSession] = []
    /// The operator's choices, also for future sessions. A nil device is the usual one.
    var routes: [AudioDirection: String?] = [:]
  }

  private var programs = AppTable<ProgramSound>()

  var all: [AudioSession] { programs.values.flatMap(\.sessions) }

  var isEmpty: Bool { programs.values.allSatisfy(\.sessions.isEmpty) }

  func sessions(of app: AppID) -> [AudioSession] { programs[app]?.sessions ?? [] }

  private func session(_ id: SessionID) -> AudioSession? { all.first { $0.id == id } }

  func session(_ id: SessionID, of app: AppID) -> AudioSession? {
    sessions(of: app).first { $0.id == id }
  }

  /// The operator's choice of a device counts before the program's.
  mutating func add(_ session: AudioSession) -> AudioSession {
    var session = session
    if let device = programs[session.app]?.routes[session.fields.direction] { session.setDevice(device) }
    programs.update(session.app, else: ProgramSound()) { $0.sessions.append(session) }
    return session
  }

  mutating func remove(_ id: SessionID, of app: AppID) -> AudioSession? {
    programs.update(app) { program in
      program.sessions.firstIndex { $0.id == id }.map { program.sessions.remove(at: $0) }
    } ?? nil
  }

  mutating func remove(_ app: AppID) -> [AudioSession] {
    defer { programs[app] = nil }
    return sessions(of: app)
  }

  mutating func change(_ session: AudioSession, _ body: (inout AudioSession) -> Void) -> AudioSession? {
    programs.update(session.app) { program in
      guard let place = program.sessions.firstIndex(where: { $0.id == session.id }) else { return nil }
      body(&program.sessions[place])
      return program.sessions[place]
    } ?? nil
  }

  mutating func choose(_ device: String?, _ direction: AudioDirection, of app: AppID) {
    programs.update(app, else: ProgramSound()) { $0.routes.updateValue(device, forKey: direction) }
  }

  // MARK: News of lull-audio

  mutating func take(_ message: MessageFromAudio, _ clock: EngineClock) -> [AudioOutcome] {
    switch message {
    case .began(let id): return session(id).map { began($0) } ?? []
    case .ended(let id): return session(id).map { ended($0) } ?? []
    case .low(let id): return report(.low, on: id)
    case .filled(let id): return report(.filled, on: id)
    case .drained(let id): return report(.drained, on: id)
    case .cut(let id, let reason): return session(id).map { cut($0, reason) } ?? []
    case .route(let news): return take(news)
    // For the supervisor, which knows to whom lull-audio listens.
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

  /// A session that goes on after a restart is no news for one that gave way to another.
  private mutating func began(_ session: AudioSession) -> [AudioOutcome] {
    _ = change(session) { $0.play = .begun }
    let news: AudioOutcome =
      if case .unknown = session.play { .playsOn(session.app, session.id) } else { session.report(.began) }
    return [.healthNote(session.app, nil), news]
  }

  private mutating func ended(_ session: AudioSession) -> [AudioOutcome] {
    _ = change(session) { $0.play = .stopped }
    return [session.report(.ended)]
  }

  private func cut(_ session: AudioSession, _ reason: CutReason) -> [AudioOutcome] {
    [
      .note(session.app, what: "sound-cut", cause: reason.rawValue),
      .healthNote(session.app, NoteItem(.soundCut, cause: reason.rawValue)),
      session.report(.cut),
      .notice(.cut(session.id, reason), to: session.client),
      .end(session.app, session.id),
    ]
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

  // MARK: Routes

  mutating func take(_ news: RouteNotice) -> [AudioOutcome] {
    guard let id = news.session else { return deviceChanged(news) }
    guard let session = session(id) else { return [] }
    _ = change(session) { $0.place = news.device }
    return route(
      [session], news, notice: news, program: session.app,
      detail: Explanation(.sessionMoved, number: id.number, text: news.device).line)
  }

  private mutating func deviceChanged(_ news: RouteNotice) -> [AudioOutcome] {
    let affected = all.filter { $0.device == news.device }
    let notice =
      news.change == .new
      ? RouteNotice(change: .new, device: news.device, reason: .newDeviceAvailable)
      : RouteNotice(change: .gone, old: news.device, reason: .oldDeviceUnavailable)
    return route(affected, news, notice: notice, program: nil, detail: news.device)
  }

  private mutating func route(
    _ affected: [AudioSession], _ news: RouteNotice, notice: RouteNotice, program: AppID?, detail: String?
  ) -> [AudioOutcome] {
    for session in affected {
      var notice = notice
      notice.session = session.id
      _ = change(session) { $0.unheardRoute = notice }
    }
    let what = "route-\(news.change.rawValue)"
    var outcomes: [AudioOutcome] = [
      .note(program, what: what, cause: news.reason?.rawValue, detail: detail), .event(.routeChanged),
    ]
    if news.change == .new, news.reason != .override {
      outcomes += affected.map { $0.report(.resumed) }
    }
    return outcomes
  }

  mutating func takeRouteNotices(of app: AppID) -> [(notice: ProgramNotice, client: Slot)] {
    sessions(of: app).compactMap { session in
      guard let notice = session.unheardRoute else { return nil }
      _ = change(session) { $0.unheardRoute = nil }
      return (.route(notice), session.client)
    }
  }

  // MARK: Status

  /// The usual device first, then those of the sessions.
  func deviceItems(_ statusPage: AudioStatusPage) -> [Message] {
    let usual = statusPage.device
    var names = [usual.name.isEmpty ? DeviceName.usualHere : usual.name]
    var items = [Self.item(usual.state, usual.name.isEmpty ? nil : usual.name)]
    for session in all where !names.contains(session.device) {
      names.append(session.device)
      let state = statusPage.record(of: session.id.number)?.device ?? .closed
      items.append(Self.item(state, session.device))
    }
    return items
  }

  private static func item(_ state: Vocabulary.DeviceState, _ name: String?) -> Message {
    DeviceItem { ($0.state, $0.name) = (OpenWord(state), name) }.message
  }
}

extension AudioSession {
  func report(_ report: SessionReport) -> AudioOutcome { .event(.sound(app, id, report)) }
}

extension AudioSession {
  func item(_ program: String, _ record: AudioStatusPage.Record?) -> Message {
    let queued = record.map { Double($0.queuedFrames) / Double(fields.rate) }
    let seconds = queued.map { ($0 * 1000).rounded() / 1000 }
    return SessionItem {
      ($0.program, $0.id) = (program, UInt64(id.number))
      ($0.category, $0.direction) = (OpenWord(fields.category), OpenWord(fields.direction))
      ($0.rate, $0.channels) = (Int64(fields.rate), Int64(fields.channels))
      ($0.format, $0.order, $0.mixes) = (OpenWord(fields.format), OpenWord(order), fields.mix)
      $0.state = OpenWord(record?.state ?? .idle)
      $0.isAudible = record?.isAudible == true && record?.state == .running
      ($0.level, $0.queuedSeconds) = (record?.level, seconds)
      $0.starved = record.map { Int64($0.starved) } ?? 0
      ($0.device, $0.wantedDevice) = (device, missingDevice)
    }
    .message
  }
}

enum AudioOutcome {
  case event(Event)
  case notice(ProgramNotice, to: Slot)
  /// In another lull-audio: that is told only where the engine believes that the session plays.
  case playsOn(AppID, SessionID)
  /// What the program plays straight to its sound server.
  case straight(AppID, isMeasured: Bool)
  /// As if its program had ended the session.
  case end(AppID, SessionID)
  /// lull-audio is gone: no program sounds any more.
  case silenced
  /// For `lull why`; nil ends the note.
  case healthNote(AppID, NoteItem?)
  case note(AppID?, what: String, cause: String? = nil, detail: String? = nil)
}
