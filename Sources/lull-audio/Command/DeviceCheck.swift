import LullAudio
import LullSystem

/// The commands that ask for devices and end. Each returns the exit status.
enum DeviceCheck {
  static func list() -> Int32 {
    let lines = ListedDevice.all().map { device in
      let does = device.plays ? (device.captures ? "plays and captures" : "plays") : "captures"
      return "\(device.name)  (\(does)\(device.isDefault ? ", the default" : ""))  \(device.text)\n"
    }
    return write(lines.joined())
  }

  /// Prints the file of the plugin behind ALSA's device `lull`.
  static func namePlugin() -> Int32 {
    guard let file = AlsaConfiguration.plugin() else {
      return max(1, write("ALSA has no device \"lull\"\n"))
    }
    return write(file + "\n")
  }

  static func write(_ text: String) -> Int32 {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
      return 0
    } catch {
      complain("the output cannot be written: \(error.message)")
      return 1
    }
  }

  /// Opens the device as for a program that plays or records, and prints the result in one text line.
  static func run(_ device: String, captures: Bool) -> Int32 {
    let line: String
    let status: Int32
    do throws(SinkError) {
      let format = try Self.format(of: device, captures: captures)
      let buffer = format.buffer * 1000 / format.rate
      let does = captures ? "captures" : "plays"
      line =
        """
        the sound device \(device) \(does) \(format.channels) channels at \(format.rate) Hz, \
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

  private static func format(of device: String, captures: Bool) throws(SinkError) -> SinkFormat {
    guard captures else { return try DeviceOpener.play(device, SinkRequest()).format }
    return try DeviceOpener.capture(device, SinkRequest()).format
  }
}
