import LullSystem
import LullWire

/// Standard output and error, unbuffered.
enum StandardOutput {
  /// Writes all of the text.
  static func write(_ text: String) throws(Failure) {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
    } catch {
      throw .failed("standard output cannot be written: \(error)")
    }
  }

  /// One line on standard error.
  static func complain(_ text: String) {
    // When it is closed there is nobody left to tell; the exit status still says it.
    try? StandardStreams.write(
      Array("lull-player: \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}
