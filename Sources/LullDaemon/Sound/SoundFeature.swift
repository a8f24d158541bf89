import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The sound of programs: sessions through Lull, and streams that go straight to a sound server.
final class SoundFeature: Feature {
  let core: Core
  private let desktop: DesktopFeature
  let audio: AudioSupervisor

  init(_ core: Core, _ desktop: DesktopFeature) {
    (self.core, self.desktop) = (core, desktop)
    let (services, supervision) = (core.services, core.services.policy.supervision)
    let limit = services.options.openFileLimit
    audio = AudioSupervisor(
      core.host.clock, policy: supervision, journal: services.journal, reactor: services.reactor
    ) { () throws(SystemError) in
      try AudioLink.launch(openFileLimit: limit, longestWait: supervision.audioHang.nanoseconds)
    }
  }

  var deadline: Int64? { audio.deadline }

  func timeIsUp() { carryOut(audio.timeIsUp()) }

  func childrenChanged() { audio.childrenChanged() }

  func turnEnds() { audio.watch() }

  func forget(_ program: Program) { audio.forget(program.id) }

  /// A process that belongs to no program can open a session too, as an unmanaged client.
  func openSession(
    _ fields: Request.Session, _ client: Client, becomeUnmanaged: (Client) -> Reply?
  ) -> Reply {
    guard let (ring, doorbell, inode) = control.staging.takeSound(client) else {
      return .error(.missingField, .init(.needsSound))
    }
    if case .operator = client.role, let refusal = becomeUnmanaged(client) { return refusal }
    guard case .program(let id) = client.role, let name = program(id)?.name else { return Reply(.gone) }
    guard audio.hasRoom else { return Reply(.tooManySessions(AudioStatusPage.maximumRecords)) }
    do {
      try audio.start()
    } catch {
      leaveIfUnheard(id)
      return .error(.unsupported, .init(.audioNotStarted, error: "\(error)"))
    }
    let answer = ask(.openSession(id, SessionTraits(fields)))
    guard case .session(let number) = answer else {
      leaveIfUnheard(id)
      return Reply(answer)
    }
    let order = engine.program(id, at: now)?.sessions.first { $0.id == number }?.order ?? .play
    desktop.alerts.opened(by: client.pid)
    let session = AudioSession(
      id: number, app: id, name: name, client: client.slot, fields: fields,
      silence: engine.registration(of: id)?.settings.silence,
      order: order, ring: ring, doorbell: doorbell, inode: inode)
    carryOut(audio.open(session))
    return Reply(answer)
  }

  func endSession(_ session: SessionID, _ client: Client) -> Reply {
    guard case .program(let id) = client.role, audio.hasSession(session, of: id) else {
      return Reply(.noSuchSession(session))
    }
    return end(session, of: id)
  }

  @discardableResult private func end(_ session: SessionID, of id: AppID) -> Reply {
    audio.close(session, of: id)
    let reply = Reply(ask(.endSession(id, session)))
    leaveIfUnheard(id)
    return reply
  }

  func endSessions(of program: Program, from client: Client) {
    for session in audio.sessions(of: program.id, from: client.slot) { end(session, of: program.id) }
  }

  private func leaveIfUnheard(_ id: AppID) {
    if program(id)?.isUnmanaged == true, !audio.hasSessions(id) { feed(.leave(id)) }
  }

  func route(_ route: Request.AudioRoute) -> Reply {
    guard let id = engine.find(name: route.name) else { return noSuchProgram(route.name) }
    if let session = route.session, !audio.hasSession(session, of: id) {
      return Reply(.noSuchSession(session))
    }
    let device = route.device ?? DeviceName.usual
    journal.note(
      program: route.name, what: "sound-route", cause: route.direction.rawValue,
      detail: route.session.map { Explanation(.sessionMoved, number: $0.number, text: device).line }
        ?? device)
    return .ok(Message(.ok).adding(.count, audio.route(id, route)))
  }

  func tellInterruption(_ id: AppID, session: SessionID, change: Interruption) {
    carryOut(audio.notice(.interruption(session, change), of: session, id))
  }

  func soundSpoke() {
    guard audio.receive(&core.receiveBuffer) else { return carryOut(audio.ended()) }
    while let outcomes = audio.next() { carryOut(outcomes) }
  }

  func tellRoutes(_ id: AppID) {
    for (notice, client) in audio.takeRouteNotices(of: id) {
      if let client = control[client] { send(notice.message, to: client) }
    }
  }

  private func carryOut(_ outcomes: [AudioOutcome]) {
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
    case .healthNote(let id, let note): notes.set(.sound, of: id, note)
    case .note(let id, let what, let cause, let detail):
      let name = id.flatMap { program($0)?.name }
      journal.note(program: name, what: what, cause: cause, detail: detail)
    }
  }

  /// The leases of audible programs end after the hangover, in which the next lull-audio can tell anew which
  /// of them sound.
  private func fellSilent() {
    let hangover = clock.interval(Int64(policy.audibility.hangoverSeconds) * 1_000_000_000)
    for program in programs {
      for scope in engine.program(program.id, at: now)?.sounding ?? [] {
        feed(.audibility(program.id, scope, .quiet(hangover)))
      }
    }
  }

  // MARK: Straight to a sound server

  func leave(_ id: AppID) { carryOut(audio.leave(id)) }

  /// lull-audio looks at the streams of a program that could sleep but for them: whether one records, and
  /// with the mode audio what can be heard. The observation of the program has found them.
  func listen(to id: AppID) {
    guard let registration = engine.registration(of: id), registration.sleepsByItself else { return }
    let settings = registration.settings
    let streams = MeasuredStreams(
      clients: observer.soundClients(of: id), silence: settings.silence,
      isMeasured: settings.modes.contains(.audio))
    carryOut(audio.listen(to: id, streams))
  }

  /// Something else keeps these programs awake by now.
  func leaveHeld() {
    let left = audio.listened.filter { !isHeldBySoundAlone($0) }
    guard !left.isEmpty else { return }
    for id in left { leave(id) }
    pump()
  }

  private func isHeldBySoundAlone(_ id: AppID) -> Bool {
    guard let view = engine.program(id, at: now), view.state == .background else { return false }
    // A wake forbids no sleep by itself.
    return view.leases.allSatisfy { [.audible, .wake, .refill].contains($0.kind) }
  }

  private func streamsChanged(of id: AppID, areMeasured: Bool) {
    guard areMeasured else {
      if let session = audio.straightSession(of: id) { host.queue(.sound(id, session, .ended)) }
      return
    }
    guard let session = audio.straightSession(of: id) ?? openStraightSession(of: id) else { return }
    feed(.sound(id, session, .began))
  }

  private func openStraightSession(of id: AppID) -> SessionID? {
    var traits = SessionTraits(category: .playback)
    traits.mixesWithOthers = true
    guard case .session(let session) = ask(.openSession(id, traits)) else { return nil }
    audio.setStraightSession(session, of: id)
    return session
  }
}
