import LullSystem
import LullWire

/// Text lines for people on standard error, each with its time.
struct Log {
  func write(_ text: String) {
    let time = LocalTime(unix: Double(Clock.realtime()) / 1e9)
    // A failure is ignored: the player works without a reader of its log, too.
    try? StandardStreams.write(Array("\(time) \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}
