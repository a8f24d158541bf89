import LullSystem
import LullWire

/// Standard output, unbuffered: a reader of `lull log --follow | ...` gets each entry when it happens.
enum Output {
  static func write(_ text: String) throws(Failure) { try write(Array(text.utf8)[...]) }

  static func write(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    do {
      try StandardStreams.write(Array(bytes), to: StandardStreams.output)
    } catch {
      throw .output(error)
    }
  }

  /// The lines are broken at blanks on a terminal.
  static func say(_ text: String) throws(Failure) {
    try write(Prose.wrapped(text, columns: Style.ofStandardOutput().proseColumns))
  }

  /// Writes a message to standard error: one text line, broken at blanks on a terminal. A failure is ignored:
  /// there is no other place to report it.
  /// `isRaw`: to a terminal in raw mode, which adds no CR.
  static func complain(_ message: String, isRaw: Bool = false) {
    let lines = complaint(message, columns: Style.ofStandardError().proseColumns)
    let text = isRaw ? lines.split(separator: "\n").map { $0 + "\r\n" }.joined() : lines
    try? StandardStreams.write(Array(text.utf8), to: StandardStreams.error)
  }

  static func complaint(_ message: String, columns: Int?) -> String {
    Prose.wrapped("lull: \(Printable.text(message))\n", columns: columns)
  }
}
