import LullSystem
import LullWire

/// Lines for people on standard error, each with its time.
struct Log {
  func write(_ text: String) {
    let time = LocalTime(unix: Double(Clock.realtime()) / 1e9)
    // Nobody may read it; the player works all the same.
    try? StandardStreams.write(Array("\(time) \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}
