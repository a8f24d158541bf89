import LullEngine
import LullSystem
import LullWire

/// The devices that somebody chose for a program's sessions, those to come as well.
struct ProgramRoutes {
  /// A choice; nil: the usual device.
  struct Choice { let device: String? }

  var play: Choice?
  var capture: Choice?

  subscript(_ direction: Request.Direction) -> Choice? {
    get { direction == .play ? play : capture }
    set { if direction == .play { play = newValue } else { capture = newValue } }
  }
}

// On which device each session is: chosen by its program and by the operator, told by lull-audio.
extension Daemon {
  func route(_ route: Request.SoundRoute) -> Reply {
    guard let id = engine.find(name: route.name), let program = program(id) else {
      return noSuchProgram(route.name)
    }
    var sessions = program.sessions.filter { $0.fields.direction == route.direction }
    if let number = route.session {
      sessions = program.sessions.filter { UInt64($0.id.number) == number }
      guard !sessions.isEmpty else { return Reply(.noSuchSession(SessionID(UInt32(clamping: number)))) }
    } else {
      program.routes[route.direction] = ProgramRoutes.Choice(device: route.device)
    }
    let device = route.device ?? DeviceName.usual
    journal.note(
      at: Clock.realtime(), program: program.name, what: "sound-route", cause: route.direction.rawValue,
      detail: route.session.map { "session \($0) to \(device)" } ?? device)
    for session in sessions {
      session.setDevice(route.device)
      tellSound(session.message(.route).adding(.device, route.device))
    }
    return .ok(Message(.ok).adding(.count, sessions.count))
  }

  /// What the operator chose counts before what the program asks for.
  func chooseDevice(_ session: Session, of program: Program) {
    if let choice = program.routes[session.fields.direction] { session.setDevice(choice.device) }
  }

  /// A device or a session's device has changed.
  func routeSaid(_ message: Message) {
    let number = try? message.unsigned(ifPresent: .session)
    let device = message[.device]
    let isNew = message[.change] == Vocabulary.RouteChange.new.rawValue
    var notice = Message(event: .route).adding(.change, message[.change]).adding(
      .device, isNew ? device : nil)
    var affected: [Session] = []
    if let number {
      guard let session = session(number) else { return }
      session.place = device
      affected = [session]
      notice = notice.adding(.old, message[.old]).adding(.reason, message[.reason])
    } else {
      for case let program? in programs {
        affected += program.sessions.filter { self.device(of: $0) == device }
      }
      let reason: Vocabulary.RouteReason = isNew ? .newDeviceAvailable : .oldDeviceUnavailable
      notice = notice.adding(.old, isNew ? nil : device).adding(.reason, word: reason)
    }
    let program = number == nil ? nil : affected.first?.program
    journal.note(
      at: Clock.realtime(), program: program?.name, what: "route-\(message[.change] ?? "")",
      cause: message[.reason], detail: number.map { "session \($0) to \(device ?? "")" } ?? device)
    for session in affected { session.unheardRoute = notice.adding(.session, session.id.number) }
    feed(.routeChanged)
    guard isNew, message[.reason] != Vocabulary.RouteReason.override.rawValue else { return }
    for session in affected {
      if let program = session.program { feed(.sound(program.id, session.id, .resumed)) }
    }
  }

  /// Tells a program where its sessions are now, if it has not been told.
  func tellRoute(_ id: AppID) {
    guard let program = program(id) else { return }
    for session in program.sessions {
      guard let notice = session.unheardRoute, let client = session.client else { continue }
      session.unheardRoute = nil
      send(notice, to: client)
    }
  }

  /// The device that a session is on.
  func device(of session: Session) -> String { session.place ?? session.fields.device ?? usualDevice }

  /// The device that a session is to be on, while it is on another one.
  func missingDevice(of session: Session) -> String? {
    let wanted = session.fields.device ?? usualDevice
    return session.place.map { $0 == wanted } ?? true ? nil : wanted
  }

  private var usualDevice: String { SoundLink.chosenDevice ?? DeviceName.usual }

  /// The usual device first, then those of the sessions.
  var deviceItems: [Message] {
    guard let board = sound?.board else { return [] }
    let usual = board.device
    var names = [usual.name.isEmpty ? usualDevice : usual.name]
    var items = [
      Message(item: .device).adding(.state, word: usual.state).adding(
        .device, usual.name.isEmpty ? nil : usual.name)
    ]
    for case let program? in programs {
      for session in program.sessions where !names.contains(device(of: session)) {
        names.append(device(of: session))
        let state = board.record(of: session.id.number)?.device ?? .closed
        items.append(Message(item: .device).adding(.state, word: state).adding(.device, device(of: session)))
      }
    }
    return items
  }
}
