import LullAudio
import LullSystem

/// `--check`: opens the device as for a program that plays, and prints the result in one text line.
enum DeviceCheck {
  /// Prints a text line for each device with its name, its directions and its description. Returns the exit
  /// status.
  static func list() -> Int32 {
    let lines = ListedDevice.all().map { device in
      let does = device.plays ? (device.captures ? "plays and captures" : "plays") : "captures"
      return "\(device.name)  (\(does))  \(device.text)\n"
    }
    return write(lines.joined())
  }

  /// Prints a text; returns the exit status.
  static func write(_ text: String) -> Int32 {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
      return 0
    } catch {
      complain("the output cannot be written: \(error.message)")
      return 1
    }
  }

  /// Tries the device; returns the exit status, 0 when the device can be opened.
  static func run(_ device: String) -> Int32 {
    let line: String
    let status: Int32
    do throws(SinkError) {
      let found = try AudioDevice.play(device, SinkRequest())
      let buffer = found.format.buffer * 1000 / found.format.rate
      line =
        """
        the sound device \(device) plays \(found.format.channels) channels at \(found.format.rate) Hz, \
        \(buffer) ms ahead
        """
      status = 0
    } catch {
      if case .gone(let text) = error {
        line = "the sound device \(text)"
      } else {
        line = "the sound device \(device) is busy"
      }
      status = 1
    }
    return max(status, write(line + "\n"))
  }
}
