import Lull
import LullMedia
import LullSystem

/// The media of one call, from its first frame to its figures. While it runs the program is awake: by its
/// audio session, or, where none is open, by a task.
final class Call {
  struct Settings {
    var media = MediaSession.Settings()
    var source: any FrameSource
    var sink: any FrameSink
    /// Nil: until somebody hangs up.
    var duration: Double?
  }

  /// Why it ended.
  enum End: Equatable {
    case hungUp
    /// The peer said good-bye in RTCP.
    case peerLeft
    case failed(String)
  }

  /// A peer that sends nothing for so long is gone: half a minute.
  private static let patience: Int64 = 30_000_000_000
  /// Seconds between two reports, on average (RFC 3550, section 6.2).
  private static let reportInterval = 5.0

  private let application: Application
  private let settings: Settings
  private let socket: MediaSocket
  private let console: Console
  private let onEnd: (End) -> Void
  private var session: MediaSession
  /// Where is sent to.
  private var peer: SocketAddress?
  /// Where the first packet came from; nobody else is listened to afterwards.
  private var speaker: SocketAddress?
  private var lastHeard = Clock.boottime()
  private var timers: [TimerToken] = []
  private var wake: BackgroundTask?
  private var hasEnded = false
  private var foreignTypes: Set<UInt8> = []

  /// `peer` nil: whoever sends first.
  init(
    _ application: Application, _ settings: Settings, socket: MediaSocket, peer: SocketAddress?,
    console: Console,
    onEnd: @escaping (End) -> Void
  ) throws {
    self.application = application
    self.settings = settings
    self.socket = socket
    self.peer = peer
    self.console = console
    self.onEnd = onEnd
    session = try MediaSession(settings.media)
  }

  /// Begins. When it throws nothing has begun.
  func start() throws {
    do {
      wake = try application.beginBackgroundTask(named: "call") { [weak self] in
        self?.end(.failed("the time in the background has run out"))
      }
      try socket.receive(in: application) { [weak self] in self?.received($0, from: $1) }
      try settings.sink.start(application) { [weak self] in
        self?.handle($0)
      } pull: { [weak self] frame in
        self?.session.play(into: &frame, samples: frame.count, at: Clock.boottime())
      }
      try settings.source.start(application) { [weak self] in self?.handle($0) }
    } catch {
      close()
      throw error
    }
    timers.append(application.schedule(after: 1, repeats: true) { [weak self] in self?.checkPeer() })
    if let duration = settings.duration {
      timers.append(application.schedule(after: duration) { [weak self] in self?.hangUp() })
    }
    scheduleReport(after: Call.reportInterval / 2)
    console.event("Call begun on port \(socket.port)\(peer.map { " with \($0)" } ?? "")")
  }

  /// Ends it and says good-bye; does nothing the second time.
  func hangUp() { end(.hungUp) }

  private func end(_ reason: End) {
    guard !hasEnded else { return }
    let device = settings.sink.queued
    if reason != .peerLeft { report(isLast: true) }
    close()
    if case .failed(let text) = reason { console.trouble("Had error: \(text)") }
    console.event("Call ended: \(CallFigures(session.statistics, device: device))")
    onEnd(reason)
  }

  private func close() {
    hasEnded = true
    settings.source.stop()
    settings.sink.stop()
    socket.close()
    for timer in timers { timer.cancel() }
    rest()
  }

  /// The audio session keeps the program awake from now on.
  private func rest() {
    if let wake { application.endBackgroundTask(wake) }
    wake = nil
  }
}

// What is spoken.
extension Call {
  private func handle(_ event: SourceEvent) {
    guard !hasEnded else { return }
    switch event {
    case .frame(let frame): speak(frame)
    case .skipped(let frames): session.skip(frames: frames)
    case .running: rest()
    case .failed(let text): end(.failed(text))
    }
  }

  private func speak(_ frame: [Int16]) {
    do {
      // Silence towards nobody is encoded all the same: the clock of RTP goes on.
      guard let datagram = try session.datagram(for: frame.span), let peer else { return }
      socket.send(datagram, to: peer)
    } catch {
      end(.failed("\(error)"))
    }
  }

  private func scheduleReport(after seconds: Double) {
    // At random, so that the reports of many calls do not fall together.
    let timer = application.schedule(after: seconds * Double.random(in: 0.5...1.5)) { [weak self] in
      guard let self, !hasEnded else { return }
      report(isLast: false)
      scheduleReport(after: Call.reportInterval)
    }
    timers.removeAll { !$0.isValid }
    timers.append(timer)
  }

  private func report(isLast: Bool) {
    guard let peer else { return }
    socket.send(session.report(at: Clock.boottime(), date: Clock.realtime(), isLast: isLast), to: peer)
  }
}

// What is heard.
extension Call {
  private func handle(_ event: SinkEvent) {
    guard !hasEnded else { return }
    switch event {
    case .running: rest()
    case .failed(let text): end(.failed(text))
    }
  }

  private func received(_ datagram: ArraySlice<UInt8>, from sender: SocketAddress) {
    guard !hasEnded, speaker == nil || sender == speaker else { return }
    let now = Clock.boottime()
    switch session.receive(datagram, at: now) {
    case .media:
      lastHeard = now
      if speaker == nil { heard(sender) }
    case .report where speaker != nil: lastHeard = now
    case .goodbye where speaker != nil: end(.peerLeft)
    case .otherPayloadType(let type):
      guard foreignTypes.insert(type).inserted else { return }
      console.trouble(
        "Had error: \(sender) sends payload type \(type), and the call has \(settings.media.payloadType)")
    case .report, .goodbye, .ignored: break
    }
  }

  /// The first packet. A peer behind a translator of addresses told an address where nobody reaches it: what
  /// is sent goes where its packets come from (symmetric RTP, RFC 4961). From its own address it may well
  /// send by another port than it receives at.
  private func heard(_ sender: SocketAddress) {
    console.event("Hearing \(sender)")
    speaker = sender
    if peer?.networkBytes?.address != sender.networkBytes?.address { peer = sender }
  }

  private func checkPeer() {
    guard !hasEnded, Clock.boottime() - lastHeard > Call.patience else { return }
    end(.failed("nothing was heard of the peer for 30 s"))
  }
}
