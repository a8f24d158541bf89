import LullWire

/// The devices that the operator chose for a program's sessions, including future ones.
struct ProgramRoutes {
  /// A nil device is the usual one.
  struct Choice { let device: String? }

  var play: Choice?
  var capture: Choice?

  subscript(_ direction: AudioDirection) -> Choice? {
    get { direction == .play ? play : capture }
    set { if direction == .play { play = newValue } else { capture = newValue } }
  }
}

/// The sessions of every program, in the order of the programs' slots and then of their opening.
struct AudioSessions {
  private struct ProgramSound {
    var sessions: [AudioSession] = []
    var routes = ProgramRoutes()
  }

  private var programs = AppTable<ProgramSound>()

  var all: [AudioSession] { programs.values.flatMap(\.sessions) }

  var isEmpty: Bool { programs.values.allSatisfy(\.sessions.isEmpty) }

  func sessions(of app: AppID) -> [AudioSession] { programs[app]?.sessions ?? [] }

  func session(_ id: SessionID) -> AudioSession? { all.first { $0.id == id } }

  func session(_ id: SessionID, of app: AppID) -> AudioSession? {
    sessions(of: app).first { $0.id == id }
  }

  /// The operator's choice of a device counts before the program's.
  mutating func add(_ session: AudioSession) -> AudioSession {
    var program = programs[session.app] ?? ProgramSound()
    var session = session
    if let choice = program.routes[session.fields.direction] { session.setDevice(choice.device) }
    program.sessions.append(session)
    programs[session.app] = program
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

  /// Returns the new state of the session.
  mutating func change(_ session: AudioSession, _ body: (inout AudioSession) -> Void) -> AudioSession? {
    programs.update(session.app) { program in
      guard let place = program.sessions.firstIndex(where: { $0.id == session.id }) else { return nil }
      body(&program.sessions[place])
      return program.sessions[place]
    } ?? nil
  }

  mutating func choose(_ device: String?, _ direction: AudioDirection, of app: AppID) {
    var program = programs[app] ?? ProgramSound()
    program.routes[direction] = ProgramRoutes.Choice(device: device)
    programs[app] = program
  }
}
