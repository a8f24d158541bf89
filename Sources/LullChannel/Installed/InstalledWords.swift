/// The words of the file of an installed program. They are written as for a shell: `'...'`, `"..."`, a
/// backslash before one character, `#` for a comment. A backslash at the end of a line continues it. Nothing
/// is expanded.
struct InstalledWords {
  struct Word: Equatable {
    let text: String
    let line: Int
  }

  private let bytes: [UInt8]
  private var next = 0
  private var line = 1
  private var words: [Word] = []

  /// The lines that have words, and the errors of those that cannot be read.
  static func lines(of bytes: [UInt8]) -> (lines: [[Word]], errors: [ConfigurationError]) {
    var reader = InstalledWords(bytes: bytes)
    var (lines, errors): ([[Word]], [ConfigurationError]) = ([], [])
    while reader.next < bytes.count {
      do throws(ConfigurationError) {
        let words = try reader.readLine()
        if !words.isEmpty { lines.append(words) }
      } catch {
        errors.append(error)
        reader.skipLine()
      }
    }
    return (lines, errors)
  }

  private mutating func skipLine() { while let byte = peek(), byte != UInt8(ascii: "\n") { advance() } }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func readLine() throws(ConfigurationError) -> [Word] {
    words = []
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"):
        advance()
        return words
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
      case UInt8(ascii: "#"): while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
      case UInt8(ascii: "\\") where continuation > 0: skipContinuation()
      default: words.append(try readWord())
      }
    }
    return words
  }

  private mutating func readWord() throws(ConfigurationError) -> Word {
    let start = line
    var text: [UInt8] = []
    reading: while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break reading
      case UInt8(ascii: "'"), UInt8(ascii: "\""): text += try readQuoted(byte)
      case UInt8(ascii: "\\") where continuation > 0: skipContinuation()
      case UInt8(ascii: "\\"):
        advance()
        guard let escaped = peek() else {
          throw ConfigurationError(line: line, text: "a backslash at the end; write \\\\ for a backslash")
        }
        text.append(escaped)
        advance()
      default:
        text.append(byte)
        advance()
      }
    }
    return try word(text, from: start)
  }

  private mutating func readQuoted(_ quote: UInt8) throws(ConfigurationError) -> [UInt8] {
    let start = line
    advance()
    var text: [UInt8] = []
    while let byte = peek() {
      if byte == quote {
        advance()
        return text
      }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        if continuation > 0 {
          skipContinuation()
          continue
        }
        // As in a shell, a backslash stays before what it need not protect.
        if let escaped = peek(1), Self.escapable.contains(escaped) { advance() }
      }
      guard let byte = peek() else { break }
      text.append(byte)
      advance()
    }
    let mark = String(decoding: [quote], as: UTF8.self)
    throw ConfigurationError(
      line: start, text: "the quote \(mark) that begins here has no end; add another \(mark)")
  }

  private func word(_ text: [UInt8], from start: Int) throws(ConfigurationError) -> Word {
    guard let valid = String(validating: text, as: UTF8.self) else {
      throw ConfigurationError(line: start, text: "a word is not UTF-8; write the file in UTF-8")
    }
    guard !text.contains(0) else { throw ConfigurationError(line: start, text: "a zero byte; take it out") }
    return Word(text: valid, line: start)
  }

  // MARK: Bytes

  /// A backslash protects these within `"..."`; POSIX, XCU 2.2.3.
  private static let escapable = Array("$`\"\\".utf8)

  private func peek(_ offset: Int = 0) -> UInt8? {
    next + offset < bytes.count ? bytes[next + offset] : nil
  }

  private mutating func advance() {
    if bytes[next] == UInt8(ascii: "\n") { line += 1 }
    next += 1
  }

  /// The bytes of the backslash here and the end of the line behind it; 0 when the line is not continued.
  private var continuation: Int {
    if peek(1) == UInt8(ascii: "\n") { return 2 }
    return peek(1) == UInt8(ascii: "\r") && peek(2) == UInt8(ascii: "\n") ? 3 : 0
  }

  private mutating func skipContinuation() { for _ in 0..<continuation { advance() } }
}

extension InstalledWords {
  /// Puts a word in quotes where it would be read as something else.
  static func quoted(_ word: String) -> String {
    guard word.isEmpty || !word.utf8.allSatisfy(isPlain) else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: plainMarks.contains(byte)
    }
  }

  private static let plainMarks = Array("-_./:,=+@%".utf8)
}
