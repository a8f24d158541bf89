import LullAudio
import LullSystem

/// `--check`: opens the device as for a program that plays, and says in one line what came of it.
enum DeviceCheck {
  /// The exit status: 0 when the device can be opened.
  static func run(_ device: String) -> Int32 {
    let line: String
    let status: Int32
    do throws(SinkError) {
      let found = try AlsaDevice(name: device, .play, SinkRequest())
      let buffer = found.format.buffer * 1000 / found.format.rate
      line =
        "the ALSA device \(device) plays \(found.format.channels) channels at \(found.format.rate) Hz, \(buffer) ms ahead"
      status = 0
    } catch {
      if case .gone(let text) = error {
        line = "the ALSA device \(text)"
      } else {
        line = "the ALSA device \(device) is busy"
      }
      status = 1
    }
    try? StandardStreams.write(Array((line + "\n").utf8), to: StandardStreams.output)
    return status
  }
}
