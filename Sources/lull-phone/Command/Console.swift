import LullSystem
import LullWire

/// The phone's output: whole text lines, each written at once. Much of it was sent by a peer, and so is made
/// printable.
struct Console {
  let isQuiet: Bool
  let stamps: Bool

  func event(_ text: String) {
    if !isQuiet { write(text) }
  }

  func trouble(_ text: String) { write(text) }

  private func write(_ text: String) {
    // A failure is ignored: the phone works without a reader of its output, too.
    try? StandardStreams.write(Array(line(text).utf8), to: StandardStreams.output)
  }

  func line(_ text: String) -> String {
    let stamp = stamps ? "\(LullSystem.Clock.monotonic() / 1000) " : ""
    return "\(stamp)\(Printable.text(text))\n"
  }
}
