import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Opens an audio session. A process that belongs to no program can open one too, as an unmanaged client.
  func openSession(_ fields: Request.Session, _ client: Client) -> Reply {
    guard let (ring, doorbell, inode) = control.staging.takeSound(client) else {
      return .error(code: .missingField, message: "send the ring and the doorbell before session")
    }
    if case .operator = client.role, let refusal = becomeUnmanaged(client) { return refusal }
    guard case .program(let id) = client.role, let name = program(id)?.name else { return Reply(.gone) }
    guard sound.hasRoom else { return Reply(.tooManySessions(AudioBoard.maximumRecords)) }
    do {
      try sound.start()
    } catch {
      leaveIfUnheard(id)
      return .error(
        code: .unsupported, message: "lull-audio cannot be started: \(error); is it beside lulld?")
    }
    let answer = ask(.openSession(id, SessionTraits(fields)))
    guard case .session(let number) = answer else {
      leaveIfUnheard(id)
      return Reply(answer)
    }
    let order = engine.program(id, at: now)?.sessions.first { $0.id == number }?.order ?? .play
    alerts.opened(by: client.pid)
    let session = AudioSession(
      id: number, app: id, name: name, client: client.slot, fields: fields,
      silence: host.engine.registration(of: id)?.settings.silence,
      order: order, ring: ring, doorbell: doorbell, inode: inode)
    carryOut(sound.open(session))
    return Reply(answer)
  }

  func endSession(_ session: SessionID, _ client: Client) -> Reply {
    guard case .program(let id) = client.role, sound.hasSession(session, of: id) else {
      return Reply(.noSuchSession(session))
    }
    return end(session, of: id)
  }

  @discardableResult private func end(_ session: SessionID, of id: AppID) -> Reply {
    sound.close(session, of: id)
    let reply = Reply(ask(.endSession(id, session)))
    leaveIfUnheard(id)
    return reply
  }

  func endSessions(of program: Program, from client: Client) {
    for session in sound.sessions(of: program.id, from: client.slot) { end(session, of: program.id) }
  }

  private func leaveIfUnheard(_ id: AppID) {
    if program(id)?.isUnmanaged == true, !sound.hasSessions(id) { feed(.leave(id)) }
  }

  private func becomeUnmanaged(_ client: Client) -> Reply? {
    let command = journal.ignoring(.gone, try Process.commandName(of: client.pid)) ?? "program"
    guard let name = freeName(for: command) else { return Reply(.nameInUse(command)) }
    // A call that rings interrupts others as the call will.
    var registration = Registration(name: name, modes: alerts.isRinging(client.pid) ? [.voip, .audio] : [])
    registration.speaks = false
    registration.isUnmanaged = true
    let suspender = suspenders.suspender(outside: client.pid, client.pidfd, why: "")
    let seed = ProgramSeed(
      name: name, kind: .unmanagedClient, suspender: suspender, pid: client.pid, pidfd: client.pidfd,
      speaker: client.slot)
    return install(seed, registration) == nil ? installRefusal : nil
  }

  func route(_ route: Request.AudioRoute) -> Reply {
    guard let id = engine.find(name: route.name) else { return noSuchProgram(route.name) }
    if let session = route.session, !sound.hasSession(session, of: id) {
      return Reply(.noSuchSession(session))
    }
    let device = route.device ?? DeviceName.usual
    journal.note(
      program: route.name, what: "sound-route", cause: route.direction.rawValue,
      detail: route.session.map { "session \($0.number) to \(device)" } ?? device)
    return .ok(Message(.ok).adding(.count, sound.route(id, route)))
  }

  func tellInterruption(_ id: AppID, session: SessionID, change: Interruption) {
    carryOut(sound.notice(.interruption(session, change), of: session, id))
  }

  func soundSpoke() {
    guard sound.receive(&receiveBuffer) else { return carryOut(sound.ended()) }
    while let outcomes = sound.next() { carryOut(outcomes) }
  }

  func tellRoutes(_ id: AppID) {
    for (notice, client) in sound.takeRouteNotices(of: id) {
      if let client = control[client] { send(notice.message, to: client) }
    }
  }

  func carryOut(_ outcomes: [AudioOutcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: AudioOutcome) {
    switch outcome {
    case .event(let event): feed(event)
    case .notice(let notice, let slot): if let client = control[slot] { send(notice.message, to: client) }
    case .playsOn(let id, let session):
      let view = engine.program(id, at: now)?.sessions.first { $0.id == session }
      if view?.isRunning == true { feed(.sound(id, session, .began)) }
    case .straight(let id, let isMeasured): streamsChanged(of: id, areMeasured: isMeasured)
    case .end(let id, let session): end(session, of: id)
    case .silenced: fellSilent()
    case .remark(let id, let text): remarks.set(.sound, of: id, text)
    case .note(let id, let what, let cause, let detail):
      let name = id.flatMap { program($0)?.name }
      journal.note(program: name, what: what, cause: cause, detail: detail)
    }
  }

  /// Lets the leases of audible programs end after the hangover, in which the next lull-audio can tell anew
  /// which of them sound.
  private func fellSilent() {
    let hangover = clock.interval(Int64(engine.policy.audibility.hangoverSeconds) * 1_000_000_000)
    for program in programs {
      for scope in engine.program(program.id, at: now)?.sounding ?? [] {
        feed(.audibility(program.id, scope, .quiet(hangover)))
      }
    }
  }
}
