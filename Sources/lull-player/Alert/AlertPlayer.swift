import ArgumentParser
import Lull
import LullPlayer
import LullSystem

/// What lulld starts for the sound of a notification, and ends with SIGTERM.
struct AlertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert", abstract: "Play the sound of a notification through Lull, and end.",
    discussion: "A file that cannot be played gives way to the default sound.", shouldDisplay: false)

  @Flag(help: "The sound of a call: it repeats for 60 s.") var call = false
  @Option(help: "The device to play on; \"lull sound devices\" lists them.") var device: String?
  @Argument(help: "default, or a WAV, FLAC, MP3 or Ogg file.") var sound: String

  func run() throws {
    // lulld calls an unmanaged client by the name of its process; the player has another one.
    Process.setName("lull-alert")
    let status: Int32
    do {
      try Signal.ignore(Signal.pipe)
      let output = device.map { AudioDevice.device($0) } ?? .default
      let player = try AlertPlayer(
        NotificationSound(word: sound), isCall: call, output: output, signals: SleepSignals())
      status = player.run()
    } catch {
      throw Failure.failed("\(error)")
    }
    if status != 0 { throw Failure.status(status) }
  }
}

/// Plays one alert as the item of a queue, and returns when it has been heard, or when a signal comes.
final class AlertPlayer {
  /// Seconds that the ring holds, and those that are handed to the device ahead of what is heard.
  private static let buffer = 1.0, latency = 0.2
  /// The seconds in which the sound fades when it is to end.
  private static let fade = 0.06

  private let application: Application
  private let player: QueuePlayer
  private let signals: SleepSignals
  private var wanted: NotificationSound
  private var failure: String?

  init(
    _ wanted: NotificationSound, isCall: Bool, output: AudioDevice, signals: SleepSignals
  ) throws(LullError) {
    (self.wanted, self.signals) = (wanted, signals)
    application = try Application(unmanaged: "lull-alert")
    let application = application
    let open: DecoderOpener = { item throws(DecodeError) in
      guard case .file(let path) = item.location else { return AlertSound(ToneSound(isCall), isCall: isCall) }
      return try AlertSound(path: path, isCall: isCall)
    }
    player = QueuePlayer(lowWaterSeconds: AlertPlayer.buffer / 2, openDecoder: open) {
      format, handler throws(LullError) in
      try AudioSession(
        application, category: isCall ? .playAndRecord : .playback,
        options: isCall ? [] : [.mixWithOthers, .duckOthers], format: format,
        buffer: .shallow(seconds: AlertPlayer.buffer), latency: AlertPlayer.latency, output: output
      ) { _, event in handler(event) }
    }
    player.observer = { [weak self] in self?.changed($0) }
    try signals.watch(in: application) { [weak self] in self?.fall() }
  }

  /// Returns the exit status.
  func run() -> Int32 {
    play()
    if failure == nil, player.status != .stopped { application.run() }
    guard let failure else { return 0 }
    StandardOutput.complain("no sound: \(failure)")
    return 1
  }

  private func play() {
    let sound: MediaLocation =
      if case .file(let path) = wanted { MediaLocation(path: path) } else { .stream(wanted.word) }
    do {
      try player.play(player.add(QueueEntry(sound)).id)
    } catch let error as QueuePlayer.Refusal {
      // Where no session was opened the player has told it already.
      if player.status == .stopped { fail(error.reason) }
    } catch {
      fail("\(error)")
    }
  }

  private func changed(_ change: QueuePlayer.Change) {
    switch (player.status, change) {
    case (.stopped, .status): application.stop()
    case (.paused, .note): if let reason = player.note { fail(reason) }
    default: break
    }
  }

  /// Where a file cannot be played, or the device cannot play it, the default sound is played.
  private func fail(_ reason: String) {
    guard wanted != .default else {
      failure = reason
      return application.stop()
    }
    StandardOutput.complain("\(wanted.word): \(reason); the default sound is played instead")
    wanted = .default
    play()
  }

  /// A sound that is cut off would click.
  private func fall() {
    player.setVolume(0)
    application.schedule(after: AlertPlayer.fade) { [application] in application.stop() }
  }
}
