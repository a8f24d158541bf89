import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The owner of sound in the daemon: every program's sessions, and the lull-audio that plays them. The engine
/// decides the sound order of each session.
final class AudioSupervisor {
  private let clock: EngineClock
  private let policy: SupervisionPolicy
  private var sessions = AudioSessions()
  private var straight = AppTable<MeasuredStreams>()
  private var audio: AudioProcess

  init(
    _ clock: EngineClock, policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> AudioLink
  ) {
    (self.clock, self.policy) = (clock, policy)
    audio = AudioProcess(policy, journal: journal, reactor: reactor, launch: launch)
  }

  var pid: Int32? { audio.link?.process.pid }

  var isRunning: Bool { audio.link != nil }
  var hasRoom: Bool { sessions.all.count < AudioStatusPage.maximumRecords }

  func hasSessions(_ app: AppID) -> Bool { !sessions.sessions(of: app).isEmpty }

  func hasSession(_ id: SessionID, of app: AppID) -> Bool { sessions.session(id, of: app) != nil }

  func sessions(of app: AppID, from client: Slot) -> [SessionID] {
    sessions.sessions(of: app).filter { $0.client == client }.map(\.id)
  }

  /// These are no lines of the program.
  func doorbells(of app: AppID) -> [UInt64] { sessions.sessions(of: app).compactMap(\.inode) }

  // MARK: Sessions

  func open(_ session: AudioSession) -> [AudioOutcome] {
    tellOpen(sessions.add(session))
    return [.healthNote(session.app, nil)]
  }

  func close(_ session: SessionID, of app: AppID) {
    if let closed = sessions.remove(session, of: app) { tell(.close(closed.id)) }
  }

  func forget(_ app: AppID) {
    leave(app)
    straight[app] = nil
    for session in sessions.remove(app) { tell(.close(session.id)) }
  }

  func order(_ id: SessionID, of app: AppID, _ order: AudioOrder) {
    guard let session = sessions.session(id, of: app) else { return }
    _ = sessions.change(session) { $0.order = order }
    tell(.order(id, order))
  }

  func notice(_ notice: ProgramNotice, of id: SessionID, _ app: AppID) -> [AudioOutcome] {
    sessions.session(id, of: app).map { [.notice(notice, to: $0.client)] } ?? []
  }

  /// For one session, or for all in a direction, including future ones. A nil device is the usual one.
  /// Returns the number of sessions that go there.
  func route(_ app: AppID, _ route: Request.AudioRoute) -> Int {
    var chosen = sessions.sessions(of: app)
    if let id = route.session {
      chosen.removeAll { $0.id != id }
    } else {
      chosen.removeAll { $0.fields.direction != route.direction }
      sessions.choose(route.device, route.direction, of: app)
    }
    for session in chosen {
      _ = sessions.change(session) { $0.setDevice(route.device) }
      tell(.route(session.id, device: route.device))
    }
    return chosen.count
  }

  func takeRouteNotices(of app: AppID) -> [(notice: ProgramNotice, client: Slot)] {
    sessions.takeRouteNotices(of: app)
  }

  // MARK: lull-audio

  func start() throws(SystemError) {
    guard audio.link == nil else { return }
    try audio.start()
    for app in listened { tellListen(app) }
    guard !sessions.isEmpty else { return }
    for session in sessions.all { tellOpen(session) }
    awaitNews(for: policy.audioNewsAfterStart)
  }

  /// lull-audio plays on for the next lulld, which gets this end of a socket and the number of the process.
  /// Nil where there is no session.
  func handOver() -> DescriptorBox? {
    guard !sessions.isEmpty, let link = audio.link, let (own, other) = try? UnixSocket.pair() else {
      return nil
    }
    link.tell(MessageToAudio.linger.message(), own)
    return other
  }

  /// Goes on with the lull-audio of the lulld before, whose sessions play on as their programs open them
  /// again. Where that cannot be, it ends with the descriptor, and the sessions begin in another one.
  func inherit(_ way: DescriptorBox, pid: Int32?) {
    guard audio.link == nil, let pid,
      let link = try? AudioLink.inherit(way, pid: pid, longestWait: policy.audioHang.nanoseconds)
    else { return }
    try? audio.inherit(link)
  }

  func receive(_ buffer: inout ReceiveBuffer) -> Bool {
    audio.link?.receive(&buffer) ?? true
  }

  func next() -> [AudioOutcome]? {
    guard let line = audio.link?.next() else { return nil }
    // Both programs are of one build: what cannot be read was not written by lull-audio.
    guard let message = try? MessageFromAudio.parse(line) else { return [] }
    if case .streams(let program, let state) = message {
      return streamsChanged(AppID(audioNumber: program), to: state)
    }
    return sessions.take(message, clock)
  }

  /// Where there are sessions, another lull-audio goes on with the same rings.
  func ended() -> [AudioOutcome] {
    audio.ended(isNeeded: !sessions.isEmpty || !listened.isEmpty)
    let outcomes: [AudioOutcome] = [.silenced] + listened.flatMap { streamsChanged($0, to: .none) }
    if !sessions.isEmpty { awaitNews(for: policy.audioNews) }
    startIfDue()
    return sessions.isEmpty ? outcomes : outcomes + [.note(nil, what: "sound-restarted")]
  }

  var deadline: Int64? { audio.deadline }

  func timeIsUp() -> [AudioOutcome] {
    startIfDue()
    // A session may have been opened in this turn.
    noteNeed()
    let outcomes: [AudioOutcome] = audio.retireIfDue() ? [.silenced] : []
    return audio.missesNews() ? outcomes + sessions.missNews() : outcomes
  }

  private func startIfDue() {
    guard audio.isDue else { return }
    do { try start() } catch { audio.retryLater() }
  }

  private func awaitNews(for interval: Interval) {
    sessions.loseNews()
    audio.awaitNews(for: interval)
  }

  func childrenChanged() { audio.childrenChanged() }

  func watch() {
    audio.watch()
    noteNeed()
  }

  private func noteNeed() {
    if audio.isInherited { audio.note(isNeeded: !sessions.isEmpty || !listened.isEmpty) }
  }

  private func tellOpen(_ session: AudioSession) {
    guard let link = audio.link, let session = sessions.change(session, { $0.place = nil }) else { return }
    link.tell(MessageToAudio.ring.message(), session.ring)
    link.tell(MessageToAudio.doorbell.message(), session.doorbell)
    link.tell(session.opening.message())
  }

  private func tell(_ message: MessageToAudio) { audio.link?.tell(message.message()) }

  // MARK: Status

  func items(of app: AppID, _ name: String) -> [Message] {
    let statusPage = audio.link?.statusPage
    return sessions.sessions(of: app).map { $0.item(name, statusPage?.record(of: $0.id.number)) }
  }

  var deviceItems: [Message] { audio.link.map { sessions.deviceItems($0.statusPage) } ?? [] }

  // MARK: Straight to a sound server

  var listened: [AppID] { straight.ids.filter { straight[$0]?.clients.isEmpty == false } }

  func straight(of app: AppID) -> StraightSound { straight[app]?.state ?? .none }

  func straightSession(of app: AppID) -> SessionID? { straight[app]?.session }

  func setStraightSession(_ session: SessionID, of app: AppID) {
    straight.update(app) { $0.session = session }
  }

  /// Where lull-audio cannot be started, nobody listens.
  func listen(to app: AppID, _ streams: MeasuredStreams) -> [AudioOutcome] {
    guard straight[app]?.clients ?? [] != streams.clients else { return [] }
    let outcomes = leave(app)
    guard !streams.clients.isEmpty else { return outcomes }
    var streams = streams
    streams.session = straightSession(of: app)
    straight[app] = streams
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

  private func streamsChanged(_ app: AppID, to state: StraightSound) -> [AudioOutcome] {
    guard let program = straight[app], !program.clients.isEmpty, program.state != state else { return [] }
    straight.update(app) { $0.state = state }
    guard (program.state == .measured) != (state == .measured) else { return [] }
    return [.straight(app, isMeasured: state == .measured)]
  }

  private func tellListen(_ app: AppID) {
    guard let program = straight[app] else { return }
    for client in program.clients {
      let listening = AudioStraight(
        program: app.audioNumber, pid: client.pid, server: client.server, silence: program.silence,
        measures: program.isMeasured)
      tell(.listen(listening))
    }
  }
}

/// The streams of a program at sound servers, to which lull-audio listens.
struct MeasuredStreams {
  /// The processes to whose streams lull-audio listens; none while it does not.
  var clients: [SoundClient] = []
  var state = StraightSound.none
  var silence: Interval?
  /// Its streams that play are measured.
  var isMeasured = false
  /// Stands for the streams in the engine.
  var session: SessionID?
}
