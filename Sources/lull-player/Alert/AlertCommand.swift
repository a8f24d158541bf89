import ArgumentParser
import Lull
import LullSystem

/// What lulld starts for the sound of a notification, and ends with SIGTERM.
struct AlertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert", abstract: "Play the sound of a notification through Lull, and end.",
    discussion: "A file that cannot be played gives way to the default sound.", shouldDisplay: false
  )

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
