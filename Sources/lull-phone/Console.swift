import LullSystem

/// The phone's output: whole lines, each written at once.
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
    let stamp = stamps ? "\(LullSystem.Clock.monotonic() / 1000) " : ""
    // Nobody may read it; the phone works all the same.
    try? StandardStreams.write(Array("\(stamp)\(text)\n".utf8), to: StandardStreams.output)
  }
}
