import Lull
import LullMedia

/// The frames of a call: one channel of 48 kHz in 16 bits.
func callFormat() throws(CallError) -> AudioFormat {
  guard let format = AudioFormat(rate: Opus.rate, channels: 1, sample: .s16) else {
    throw CallError("the devices have no frames of 48 kHz")
  }
  return format
}

/// Seconds that the device has ahead of the frame that is heard.
private let deviceLatency = 0.03
/// Seconds.
private let ringLength = 0.5

/// One direction of a call's device, whose own clock tells when there are frames, or room for some.
class CallDevice {
  fileprivate private(set) var session: AudioSession?
  fileprivate let echo: EchoPath?
  private let device: AudioDevice

  init(_ device: AudioDevice, echo: EchoPath?) { (self.device, self.echo) = (device, echo) }

  fileprivate func open(
    _ application: Application, direction: AudioDirection, tell: @escaping (DeviceEvent) -> Void,
    work: @escaping (AudioSession) -> Void
  ) throws -> AudioSession {
    let session = try AudioSession(
      application, category: .playAndRecord, direction: direction, format: callFormat(),
      buffer: .shallow(seconds: ringLength), latency: deviceLatency, output: device
    ) { [weak self] session, event in
      switch event {
      case .wantsFrames: work(session)
      case .stateChanged(.running): tell(.running)
      case .failed(let error): tell(.failed("\(error)"))
      case .routeChanged: self?.echo?.deviceChanged()
      case .stateChanged, .interruptionBegan, .interruptionEnded: break
      }
    }
    self.session = session
    return session
  }

  func stop() {
    session?.close()
    session = nil
  }
}

final class Microphone: CallDevice, FrameSource {
  /// Frames that wait longer than this (200 ms) are left out.
  private static let patience = 10 * Opus.frame

  func start(_ application: Application, _ handler: @escaping (SourceEvent) -> Void) throws {
    let session = try open(application, direction: .capture) {
      handler(.device($0))
    } work: { [weak self] in
      self?.read($0, handler)
    }
    session.askForFrames(when: Opus.frame)
    session.play()
  }

  private func read(_ session: AudioSession, _ handler: (SourceEvent) -> Void) {
    var frame = [Int16](repeating: 0, count: Opus.frame)
    var skipped = 0
    // A handler may end the call.
    while self.session != nil, session.readableFrames >= Opus.frame {
      let waiting = session.readableFrames
      let isStale = waiting > Microphone.patience
      _ = unsafe frame.withUnsafeMutableBytes { bytes in unsafe session.read(into: bytes) }
      if isStale {
        skipped += 1
      } else {
        if skipped > 0 { handler(.skipped(skipped)) }
        skipped = 0
        echo?.cancel(&frame, waiting: waiting)
        handler(.frame(frame))
      }
    }
    session.askForFrames(when: Opus.frame)
  }
}

final class Speaker: CallDevice, FrameSink {
  /// Samples at a time: 10 ms.
  private static let step = Opus.frame / 2
  /// The frames that the device has ahead, and one step.
  private static let lowWater = Int(deviceLatency * Double(Opus.rate)) + step
  private var frame = [Int16](repeating: 0, count: Speaker.step)

  var queued: Double { session.map { Double($0.queuedFrames) * 1000 / Double(Opus.rate) } ?? 0 }

  func start(
    _ application: Application, _ handler: @escaping (DeviceEvent) -> Void,
    pull: @escaping (inout [Int16]) -> Void
  ) throws {
    let session = try open(application, direction: .play, tell: handler) { [weak self] in
      self?.write($0, pull)
    }
    echo?.heard = { [weak session] in session?.position }
    session.askForFrames(when: Speaker.lowWater)
    session.play()
  }

  private func write(_ session: AudioSession, _ pull: (inout [Int16]) -> Void) {
    while session.queuedFrames < Speaker.lowWater, session.writableFrames >= Speaker.step {
      pull(&frame)
      echo?.play(frame, at: session.written)
      _ = unsafe frame.withUnsafeBytes { bytes in unsafe session.write(bytes) }
    }
    session.askForFrames(when: Speaker.lowWater)
  }
}

/// The path from a call's speaker to its microphone, with the canceller of its echo.
final class EchoPath {
  private let canceller: EchoCanceller
  private var reference = EchoReference()
  /// In samples since the speaker began; nil without a speaker.
  var heard: () -> UInt64? = { nil }

  init(_ settings: EchoCanceller.Settings) throws(CallError) {
    guard let canceller = EchoCanceller(settings) else {
      throw CallError("no memory for the echo canceller; --no-echo-cancellation does without it")
    }
    self.canceller = canceller
  }

  func play(_ frame: [Int16], at position: UInt64) { reference.play(frame, at: position) }

  /// Takes the echo out of a frame of the microphone; `waiting` is the number of samples captured since the
  /// frame's first sample, including it.
  func cancel(_ frame: inout [Int16], waiting: Int) {
    guard let heard = heard() else { return }
    let played = reference.next(frame.count, heard: Int64(clamping: heard) - Int64(waiting))
    canceller.cancel(&frame, played: played)
  }

  func deviceChanged() { reference.forgetStep() }
}
