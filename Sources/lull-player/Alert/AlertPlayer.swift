import Lull

/// Plays one alert through an audio session, and returns when it has been heard, or when a signal comes.
final class AlertPlayer {
  /// Seconds that the ring holds, and those that are handed to the device ahead of what is heard.
  private static let buffer = 1.0, latency = 0.2
  /// The seconds in which the sound fades when it is to end.
  private static let fade = 0.06

  private let wanted: NotificationSound
  private let isCall: Bool
  private let output: AudioDevice
  private let signals: SleepSignals
  private let application: Application
  private var frames: AlertFrames
  private var session: AudioSession?
  private var failure: LullError?
  /// True while a file is played: where the device cannot play it, the default sound is played.
  private var playsFile: Bool

  init(
    _ wanted: NotificationSound, isCall: Bool, output: AudioDevice, signals: SleepSignals
  ) throws(LullError) {
    (self.wanted, self.isCall, self.output, self.signals) = (wanted, isCall, output, signals)
    application = try Application(unmanaged: "lull-alert")
    var sound: (any AlertSound)?
    if case .file(let path) = wanted {
      do {
        sound = try FileSound(path: path, isCall: isCall)
      } catch {
        StandardOutput.complain("\(path): \(error); the default sound is played instead")
      }
    }
    playsFile = sound != nil
    frames = AlertFrames(sound ?? ToneSound(isCall: isCall), isCall: isCall)
  }

  /// Returns the exit status.
  func run() -> Int32 {
    do {
      try signals.watch(in: application) { [weak self] in self?.fall() }
      try open()
    } catch {
      failure = error
    }
    if failure == nil { application.run() }
    guard let failure else { return 0 }
    StandardOutput.complain("no sound: \(failure)")
    return 1
  }

  private func open() throws(LullError) {
    let session = try AudioSession(
      application, category: isCall ? .playAndRecord : .playback,
      options: isCall ? [] : [.mixWithOthers, .duckOthers], format: frames.format,
      buffer: .shallow(seconds: AlertPlayer.buffer), latency: AlertPlayer.latency, output: output
    ) { [weak self] session, event in self?.handle(event, of: session) }
    self.session = session
    fill(session)
    session.play()
  }

  private func handle(_ event: AudioSession.Event, of session: AudioSession) {
    switch event {
    case .wantsFrames: fill(session)
    case .stateChanged(.drained): application.stop()
    case .failed(let error): failed(error)
    case .stateChanged, .routeChanged, .interruptionBegan, .interruptionEnded: break
    }
  }

  private func fill(_ session: AudioSession) {
    let channels = frames.format.channels
    var chunk = [Float](repeating: 0, count: 4096 * channels)
    while session.writableFrames > 0 {
      let room = min(chunk.count, session.writableFrames * channels)
      let count = unsafe chunk.withUnsafeMutableBufferPointer { chunk in
        unsafe frames.read(into: UnsafeMutableBufferPointer(rebasing: chunk[..<room]))
      }
      guard count > 0 else { return session.drain() }
      _ = unsafe chunk[..<(count * channels)].withUnsafeBytes { bytes in unsafe session.write(bytes) }
    }
    session.askForFrames(when: session.capacity / 2)
  }

  /// A sound that is cut off would click.
  private func fall() {
    session?.gain = 0
    application.schedule(after: AlertPlayer.fade) { [application] in application.stop() }
  }

  private func failed(_ error: LullError) {
    guard playsFile else {
      failure = error
      return application.stop()
    }
    playsFile = false
    StandardOutput.complain("\(wanted.word): \(error); the default sound is played instead")
    frames = AlertFrames(ToneSound(isCall: isCall), isCall: isCall)
    do {
      try open()
    } catch {
      failure = error
      application.stop()
    }
  }
}
