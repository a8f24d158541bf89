import LullProgram
import LullSystem
import LullWire

func complain(_ text: String) {
  try? StandardStreams.write(Array("lull-audio: \(text)\n".utf8), to: StandardStreams.error)
}

struct Options {
  struct UsageError: Error, CustomStringConvertible { let description: String }

  var device = DeviceName.usual
  /// Nanoseconds without sound after which the device is closed.
  var closeAfter: Int64 = 10_000_000_000
  var checks = false
  var captures = false
  var lists = false
  var namesPlugin = false
  /// The text that `--help` or `--version` prints.
  var information: String?

  private static let usage = """
    usage: lull-audio [--device NAME] [--close-after SECONDS]
           lull-audio --check [--device NAME] [--input]
           lull-audio --devices | --plugin
    Plays and records the sound of Lull's programs. Started by lulld, which speaks
    to it through descriptor 3.
      --device NAME           the device of ALSA (default), `aplay -L` lists them;
                              pulse: or pulse:SINK is one of PulseAudio or
                              PipeWire, `pactl list short sinks` lists them
      --close-after SECONDS   the device is closed after so long without sound (10)
      --check                 open the device, say what it is or why it cannot be
                              opened, and end
      --input                 open it as for a program that records
      --devices               list the devices and end
      --plugin                name the file behind ALSA's device lull and end
      --version               print the version
    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let name = parts.first ?? ""
      func value() throws(UsageError) -> String {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageError(description: "\(name) needs a value")
        }
        return value
      }
      func flag() throws(UsageError) -> Bool {
        guard parts.count == 1 else { throw UsageError(description: "\(name) takes no value") }
        return true
      }
      switch name {
      case "--device": device = try value()
      case "--close-after": closeAfter = try Self.nanoseconds(value(), name)
      case "--check": checks = try flag()
      case "--input": captures = try flag()
      case "--devices": lists = try flag()
      case "--plugin": namesPlugin = try flag()
      case "--version": information = Version.text
      case "--help", "-h": information = Self.usage
      default:
        let kind = argument.hasPrefix("-") ? "unknown option" : "unexpected argument"
        throw UsageError(description: "\(kind) \"\(argument)\"; --help lists the options")
      }
    }
  }

  private static func nanoseconds(_ text: String, _ name: String) throws(UsageError) -> Int64 {
    guard let seconds = Double(text), (0...86_400).contains(seconds) else {
      throw UsageError(description: "\(name) is \"\(text)\": it needs seconds from 0 to 86400")
    }
    return Int64(seconds * 1e9)
  }
}
