import LullSystem
import LullWire

/// The phone's output: whole lines, each written at once. Much of it was sent by a peer.
struct Console {
  let isQuiet: Bool
  let stamps: Bool

  /// Prints an event.
  func event(_ text: String) {
    if !isQuiet { write(text) }
  }

  /// Prints what is wrong, quiet or not.
  func trouble(_ text: String) {
    write(text)
  }

  private func write(_ text: String) {
    // Nobody may read it; the phone works all the same.
    try? StandardStreams.write(Array(line(text).utf8), to: StandardStreams.output)
  }

  /// The line of an event.
  func line(_ text: String) -> String {
    let stamp = stamps ? "\(LullSystem.Clock.monotonic() / 1000) " : ""
    return "\(stamp)\(Printable.text(text))\n"
  }
}
