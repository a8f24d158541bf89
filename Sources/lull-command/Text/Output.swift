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

  /// Writes a text line to standard error. A failure is ignored: there is no other place to report it.
  static func complain(_ message: String) {
    try? StandardStreams.write(Array("lull: \(Printable.text(message))\n".utf8), to: StandardStreams.error)
  }
}
