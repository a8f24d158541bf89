import LullSystem
import LullWire

/// Standard output, unbuffered: a reader of `lull log --follow | ...` gets each entry when it happens.
enum Output {
  /// Writes all of the text.
  static func write(_ text: String) throws(Failure) {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
    } catch {
      throw .failed("standard output cannot be written: \(error)")
    }
  }

  /// One line on standard error. When that is closed there is nobody left to tell.
  static func complain(_ message: String) {
    try? StandardStreams.write(Array("lull: \(Printable.text(message))\n".utf8), to: StandardStreams.error)
  }
}
