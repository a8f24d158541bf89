import LullEngine
import LullSystem
import LullWire

// Sessions of sound: the engine decides how each is heard, lull-audio plays them, and tells what can be heard.
extension Daemon {
  /// A process that belongs to no program is heard all the same, as a guest.
  func openSession(_ fields: Request.Session, _ client: Client) -> Reply {
    guard let ring = client.staged.ring, let (bell, inode) = client.staged.bell else {
      return .error(code: .missingField, message: "send the ring and the bell before session")
    }
    (client.staged.ring, client.staged.bell) = (nil, nil)
    if client.staged.isEmpty { dropStaged(client) }
    if case .operator = client.role, let refusal = becomeGuest(client) { return refusal }
    guard case .program(let id) = client.role, let program = program(id) else { return Reply(.gone) }
    guard programs.reduce(0, { $0 + ($1?.sessions.count ?? 0) }) < SoundBoard.maximumRecords else {
      return Reply(.tooManySessions(SoundBoard.maximumRecords))
    }
    do {
      try startSound()
    } catch {
      if program.isGuest, program.sessions.isEmpty { feed(.leave(id)) }
      return .error(
        code: .unsupported, message: "lull-audio cannot be started: \(error); is it beside lulld?")
    }
    let answer = ask { .openSession(id, SoundSession(fields), $0) }
    guard case .session(let number) = answer else {
      if program.isGuest, program.sessions.isEmpty { feed(.leave(id)) }
      return Reply(answer)
    }
    let session = Session(
      id: number, fields: fields, ring: ring, bell: bell, inode: inode, program: program, client: client)
    session.order = engine.program(id, at: now)?.sessions.first { $0.id == number }?.order ?? .play
    program.sessions.append(session)
    chooseDevice(session, of: program)
    tellOpen(session)
    return Reply(answer)
  }

  func endSession(_ number: UInt64, _ client: Client) -> Reply {
    guard case .program(let id) = client.role, let program = program(id),
      let session = program.sessions.first(where: { UInt64($0.id.number) == number })
    else { return Reply(.noSuchSession(SessionID(UInt32(clamping: number)))) }
    return end(session, of: program)
  }

  @discardableResult func end(_ session: Session, of program: Program) -> Reply {
    program.sessions.removeAll { $0 === session }
    closeSound(session)
    let reply = Reply(ask { .endSession(program.id, session.id, $0) })
    if program.isGuest, program.sessions.isEmpty { feed(.leave(program.id)) }
    return reply
  }

  /// The connection that opened them is gone.
  func endSessions(of program: Program, from client: Client) {
    for session in program.sessions where session.client === client { end(session, of: program) }
  }

  func closeSound(_ session: Session) { tellSound(session.message(.close)) }

  private func becomeGuest(_ client: Client) -> Reply? {
    let command = (try? Process.commandName(of: client.pid)) ?? "program"
    guard let name = freeName(for: command) else { return Reply(.nameInUse(command)) }
    var registration = Registration(name: name)
    registration.speaks = false
    registration.isGuest = true
    let suspender = signals(client, why: "")
    var seed = ProgramSeed(
      name: name, isCommand: false, suspender: suspender, pid: client.pid, pidfd: client.pidfd,
      speaker: client)
    seed.isGuest = true
    guard install(seed, registration) != nil else {
      return installRefusal
    }
    return nil
  }

  // MARK: What the engine decides

  func order(_ session: SessionID, of id: AppID, _ order: LullEngine.SoundOrder) {
    guard let session = program(id)?.sessions.first(where: { $0.id == session }) else { return }
    session.order = order
    tellSound(session.message(.order).adding(.order, order.rawValue))
  }

  func tellInterruption(_ id: AppID, _ session: SessionID, _ change: Interruption) {
    let notice = Message(event: .interruption).adding(.session, session.number)
    let words: (phase: Vocabulary.InterruptionPhase, resume: Bool) =
      switch change {
      case .began: (.began, false)
      case .ended(let shouldResume): (.ended, shouldResume)
      }
    tellOwner(
      of: session, id,
      notice.adding(.phase, words.phase.rawValue).adding(flag: .shouldResume, if: words.resume))
  }

  private func tellOwner(of session: SessionID, _ id: AppID, _ notice: Message) {
    guard let client = program(id)?.sessions.first(where: { $0.id == session })?.client else { return }
    send(notice, to: client)
  }

  // MARK: What lull-audio says

  func soundSpoke() {
    guard let sound else { return }
    sound.flush()
    guard let messages = sound.receive(&receiveBuffer) else { return soundEnded() }
    for message in messages { soundSaid(message) }
    watchSound()
  }

  private func soundSaid(_ message: Message) {
    guard let verb = SoundVerb(rawValue: message.verb) else { return }
    if case .route = verb { return routeSaid(message) }
    if verb == .sounding || verb == .quiet { return heard(message) }
    guard let number = try? message.unsigned(.session), let session = session(number),
      let program = session.program
    else { return }
    switch verb {
    case .began: began(session, of: program)
    case .ended: ended(session, of: program)
    case .low: feed(.sound(program.id, session.id, .low))
    case .filled: feed(.sound(program.id, session.id, .filled))
    case .drained: feed(.sound(program.id, session.id, .drained))
    case .cut: cut(session, of: program, message[.reason])
    case .ring, .bell, .open, .order, .close, .route, .sounding, .quiet: break
    }
  }

  /// The sum of a program's sessions: it may have none any more.
  private func heard(_ message: Message) {
    guard let number = try? message.unsigned(.program), let program = program(AppID(soundNumber: number)),
      let scope = message[.of].flatMap(SoundScope.init(rawValue:))
    else { return }
    guard message.verb == SoundVerb.quiet.rawValue else { return feed(.heard(program.id, scope, .sounding)) }
    let rest = (try? message.nanoseconds(.seconds)) ?? 0
    feed(.heard(program.id, scope, .quiet(clock.interval(rest))))
  }

  /// What goes on after a restart is no news for one that gave way to another.
  private func began(_ session: Session, of program: Program) {
    let isOld = session.awaitsNews
    (session.hasBegun, session.awaitsNews) = (true, false)
    let view = engine.program(program.id, at: now)?.sessions.first { $0.id == session.id }
    guard !isOld || view?.isRunning == true else { return }
    feed(.sound(program.id, session.id, .began))
  }

  func ended(_ session: Session, of program: Program) {
    (session.hasBegun, session.awaitsNews) = (false, false)
    feed(.sound(program.id, session.id, .ended))
  }

  private func cut(_ session: Session, of program: Program, _ reason: String?) {
    journal.note(at: Clock.realtime(), program: program.name, what: "sound-cut", cause: reason)
    program.remark = "its sound was given up: \(reason.map(Self.text(ofCut:)) ?? "lull-audio says no reason")"
    // It waits for its sound, and may sleep.
    feed(.sound(program.id, session.id, .drained))
    tellOwner(
      of: session.id, program.id,
      Message(event: .cut).adding(.session, session.id.number).adding(.reason, reason))
    end(session, of: program)
  }

  private static func text(ofCut reason: String) -> String {
    switch Vocabulary.CutReason(rawValue: reason) {
    case .badPosition: "the positions in its ring contradict each other"
    case .noDevice: "no sound device can be opened; `lull doctor` tells more"
    case .badFormat: "the sound device cannot play its format"
    case nil: reason
    }
  }

  func session(_ number: UInt64) -> Session? {
    for case let program? in programs {
      if let session = program.sessions.first(where: { UInt64($0.id.number) == number }) { return session }
    }
    return nil
  }

  // MARK: Status

  func sessionItems(_ view: AppView, _ program: Program) -> [Message] {
    program.sessions.map { session in
      let fields = session.fields
      let record = sound?.board.record(of: session.id.number)
      let queued = record.map { Double($0.queuedFrames) / Double(fields.rate) }
      let seconds = queued.map { ($0 * 1000).rounded() / 1000 }
      return Message(item: .session).adding(.program, program.name).adding(.session, session.id.number)
        .adding(.category, word: fields.category).adding(.direction, word: fields.direction)
        .adding(.rate, fields.rate).adding(.channels, fields.channels).adding(.format, word: fields.format)
        .adding(.state, (record?.state ?? .idle).rawValue).adding(.order, session.order.rawValue)
        .adding(flag: .mix, if: fields.mix)
        .adding(flag: .audible, if: record?.isAudible == true && record?.state == .running)
        .adding(.level, record?.level).adding(.queuedSeconds, seconds)
        .adding(.starved, record.flatMap { $0.starved > 0 ? $0.starved : nil })
        .adding(.device, device(of: session)).adding(.output, missingDevice(of: session))
    }
  }
}
