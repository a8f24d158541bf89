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
    /// Seconds; nil for a call that lasts until one side hangs up.
    var duration: Double?
  }

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

  /// With `peer` nil the first sender becomes the peer.
  init(
    _ application: Application, _ settings: Settings, socket: MediaSocket, peer: SocketAddress?,
    console: Console, onEnd: @escaping (End) -> Void
  ) throws {
    (self.application, self.settings, self.socket) = (application, settings, socket)
    (self.console, self.onEnd) = (console, onEnd)
    self.peer = CallPeer(peer, at: Clock.boottime())
    session = try MediaSession(settings.media)
  }

  /// When this throws nothing has begun.
  func start() throws {
    do {
      wake = try application.beginBackgroundTask(named: "call") { [weak self] in
        self?.end(.failed("the time in the background has run out"))
      }
      try socket.receive(in: application) { [weak self] in self?.received($0, from: $1, on: $2) }
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

  /// Says good-bye in RTCP; does nothing the second time.
  func hangUp() { end(.hungUp) }

  private func end(_ reason: End) {
    guard !hasEnded else { return }
    let device = settings.sink.queued
    if reason != .peerLeft { report(isLast: true) }
    close()
    if case .failed(let text) = reason { console.trouble("Had error: \(text)") }
    console.event("Call ended: \(session.statistics.text(device: device))")
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

extension Call {
  private func handle(_ event: SourceEvent) {
    guard !hasEnded else { return }
    switch event {
    case .frame(let frame): speak(frame)
    case .skipped(let frames): session.skip(frames: frames)
    case .device(let event): handle(event)
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
    guard let address = peer.address else { return }
    let report = session.report(at: Clock.boottime(), date: Clock.realtime(), isLast: isLast)
    if let own = peer.reportAddress {
      socket.send(report, to: own, from: .reports)
    } else {
      socket.send(report, to: address)
    }
  }
}

extension Call {
  private func handle(_ event: DeviceEvent) {
    guard !hasEnded else { return }
    switch event {
    case .running: rest()
    case .failed(let text): end(.failed(text))
    }
  }

  private func received(
    _ datagram: ArraySlice<UInt8>, from sender: SocketAddress, on port: MediaSocket.Port
  ) {
    guard !hasEnded else { return }
    let now = Clock.boottime()
    let isSpeaker = port == .sound && peer.maySpeak(from: sender, at: now)
    guard isSpeaker || peer.mayReport(from: sender, on: port) else { return }
    switch session.kind(of: datagram) {
    case .media where isSpeaker: hear(datagram, from: sender, at: now)
    case .otherPayloadType(let type) where isSpeaker: tell(type, of: sender)
    case .report: read(datagram, from: sender, on: port, at: now)
    case .media, .otherPayloadType, .goodbye, .ignored: break
    }
  }

  private func hear(_ datagram: ArraySlice<UInt8>, from sender: SocketAddress, at now: Int64) {
    switch peer.noteSound(from: sender, at: now) {
    case .waiting: return
    case .learnt:
      session.forgetSource()
      console.event("Hearing \(sender)")
    case .heard: break
    }
    if session.receive(datagram, at: now) == .media { peer.noteLife(at: now) }
  }

  private func read(
    _ report: ArraySlice<UInt8>, from sender: SocketAddress, on port: MediaSocket.Port, at now: Int64
  ) {
    guard peer.mayReport(from: sender, on: port) else { return }
    let wasKnown = peer.hasSpoken
    switch session.receive(report, at: now) {
    case .report: peer.noteReport(from: sender, on: port, at: now)
    // An earlier call's last report may come late, to the port of this one.
    case .goodbye where wasKnown: end(.peerLeft)
    case .goodbye, .media, .otherPayloadType, .ignored: break
    }
  }

  private func tell(_ foreignType: UInt8, of sender: SocketAddress) {
    guard foreignTypes.insert(foreignType).inserted else { return }
    let own = settings.media.payloadType
    console.trouble("Had error: \(sender) sends payload type \(foreignType), and the call has \(own)")
  }

  private func checkPeer() {
    guard !hasEnded, peer.isGone(at: Clock.boottime()) else { return }
    end(.failed("nothing was heard of the peer for 30 s"))
  }
}

extension MediaStatistics {
  /// The figures for people; `device` is the milliseconds that were queued towards the device.
  fileprivate func text(device: Double) -> String {
    """
    sent \(sent), received \(received), lost \(lost), recovered \(recovered), concealed \(concealed), \
    late \(late), duplicate \(duplicate), jitter \(Self.tenths(jitterMilliseconds)) ms, \(way(device))
    """
  }

  private func way(_ device: Double) -> String {
    guard let delay = mouthToEarMilliseconds(device: device) else { return "nothing heard" }
    return """
      mouth to ear about \(Self.whole(delay)) ms (\(Self.whole(waitMilliseconds)) in the jitter buffer, \
      \(Self.whole(device)) towards the device)
      """
  }

  private static func whole(_ number: Double) -> Int { Int(number.rounded()) }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// The reason why a call cannot be made, in one text line.
struct CallError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
