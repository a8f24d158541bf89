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
    /// Seconds; nil: until one side hangs up.
    var duration: Double?
  }

  /// The reason of the end.
  enum End: Equatable {
    case hungUp
    /// The peer said good-bye in RTCP.
    case peerLeft
    case failed(String)
  }

  /// Seconds between two reports, on average (RFC 3550, section 6.2).
  private static let reportInterval = 5.0

  private let application: Application
  private let settings: Settings
  private let socket: MediaSocket
  private let console: Console
  private let onEnd: (End) -> Void
  private var session: MediaSession
  private var peer: CallPeer
  private var timers: [TimerToken] = []
  private var wake: BackgroundTask?
  private var hasEnded = false
  private var foreignTypes: Set<UInt8> = []

  /// `peer` nil: the first sender becomes the peer.
  init(
    _ application: Application, _ settings: Settings, socket: MediaSocket, peer: SocketAddress?,
    console: Console,
    onEnd: @escaping (End) -> Void
  ) throws {
    self.application = application
    self.settings = settings
    self.socket = socket
    self.peer = CallPeer(peer, at: Clock.boottime())
    self.console = console
    self.onEnd = onEnd
    session = try MediaSession(settings.media)
  }

  /// Begins the call. When this throws nothing has begun.
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
    console.event("Call begun on port \(socket.port)\(peer.address.map { " with \($0)" } ?? "")")
  }

  /// Ends the call and says good-bye in RTCP; does nothing the second time.
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

  /// Ends the task: the audio session keeps the program awake from now on.
  private func rest() {
    if let wake { application.endBackgroundTask(wake) }
    wake = nil
  }
}

// Sending.
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
      // A frame without a peer is encoded all the same: the clock of RTP goes on.
      guard let datagram = try session.datagram(for: frame.span), let peer = peer.address else { return }
      socket.send(datagram, to: peer)
    } catch {
      end(.failed("\(error)"))
    }
  }

  private func scheduleReport(after seconds: Double) {
    // The interval is random, so that the reports of many calls do not fall together.
    let timer = application.schedule(after: seconds * Double.random(in: 0.5...1.5)) { [weak self] in
      guard let self, !hasEnded else { return }
      report(isLast: false)
      scheduleReport(after: Call.reportInterval)
    }
    timers.removeAll { !$0.isValid }
    timers.append(timer)
  }

  private func report(isLast: Bool) {
    guard let peer = peer.address else { return }
    socket.send(session.report(at: Clock.boottime(), date: Clock.realtime(), isLast: isLast), to: peer)
  }
}

// Receiving.
extension Call {
  private func handle(_ event: SinkEvent) {
    guard !hasEnded else { return }
    switch event {
    case .running: rest()
    case .failed(let text): end(.failed(text))
    }
  }

  private func received(_ datagram: ArraySlice<UInt8>, from sender: SocketAddress) {
    guard !hasEnded, peer.maySpeak(from: sender) else { return }
    let now = Clock.boottime()
    switch session.receive(datagram, at: now) {
    case .media: if peer.noteMedia(from: sender, at: now) { console.event("Hearing \(sender)") }
    case .report where peer.hasSpoken: peer.noteReport(at: now)
    case .goodbye where peer.hasSpoken: end(.peerLeft)
    case .otherPayloadType(let type):
      guard foreignTypes.insert(type).inserted else { return }
      console.trouble(
        "Had error: \(sender) sends payload type \(type), and the call has \(settings.media.payloadType)")
    case .report, .goodbye, .ignored: break
    }
  }

  private func checkPeer() {
    guard !hasEnded, peer.isGone(at: Clock.boottime()) else { return }
    end(.failed("nothing was heard of the peer for 30 s"))
  }
}
