import Lull
import LullModel
import LullProgram
import LullSystem

/// Writes one text line to standard error, which lulld takes into its journal.
func complain(_ text: String) {
  try? StandardStreams.write(Array("lull-alert: \(text)\n".utf8), to: StandardStreams.error)
}

/// The command line options of lull-alert.
struct Options {
  struct UsageError: Error, CustomStringConvertible { let description: String }

  /// The sound to play.
  var sound = NotificationSound.default
  /// True for a call: the sound repeats.
  var isCall = false
  /// The device to play on.
  var device = AudioDevice.default
  /// The text that `--help` or `--version` prints.
  var information: String?

  private static let usage = """
    usage: lull-alert [--call] [--device NAME] default|FILE
    Plays the sound of a notification through Lull, and ends. FILE is a WAV, FLAC
    or Ogg file; one that cannot be played gives way to the default sound. Started
    by lulld, which ends it with SIGTERM.
      --call          the sound of a call: it repeats for 60 s
      --device NAME   the device to play on; "lull sound devices" lists them
      --version       print the version
    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var sounds: [String] = []
    while let argument = rest.popFirst() {
      switch argument {
      case "--call": isCall = true
      case "--device":
        guard let name = rest.popFirst() else { throw UsageError(description: "--device needs a value") }
        device = .device(name)
      case "--version": information = Version.text
      case "--help", "-h": information = Self.usage
      case "--":
        sounds += rest
        rest = []
      default:
        guard !argument.hasPrefix("-") else {
          throw UsageError(description: "unknown option \"\(argument)\"; --help lists the options")
        }
        sounds.append(argument)
      }
    }
    guard information == nil else { return }
    guard let sound = sounds.first, sounds.count == 1 else {
      throw UsageError(description: "one sound is needed, default or a file; --help tells more")
    }
    self.sound = NotificationSound(word: sound)
  }
}
