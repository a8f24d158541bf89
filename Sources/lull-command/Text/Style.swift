import LullSystem
import LullWire

/// What the reader's screen can show: colour, only on a terminal and only where it is wanted, and so many
/// characters in a line.
struct Style: Equatable {
  /// The length of a line where neither a terminal nor COLUMNS tells another.
  static let usualColumns = 80

  /// The colours, by their SGR codes (ECMA-48, section 8.3.117).
  enum Colour: String {
    case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", cyan = "36"
  }

  let isColoured: Bool
  /// The number of characters that fit into a line of a table; nil: no limit.
  var columns: Int?
  /// The number of characters that fit into a line of sentences; nil: each stays one line, for grep and logs.
  var proseColumns: Int?
  var isBrief = false

  static let plain = Style(isColoured: false)

  /// The style of standard output: colour on a terminal, unless NO_COLOR is set (no-color.org) or TERM is
  /// `dumb`.
  static func ofStandardOutput() -> Style { of(StandardStreams.output) }

  /// A table is whole where there is neither a terminal nor COLUMNS.
  static func wholeOfStandardOutput() -> Style {
    var style = ofStandardOutput()
    let isTerminal = Terminal.isTerminal(StandardStreams.output)
    if !isTerminal, (Identity.environment("COLUMNS") ?? "").isEmpty { style.columns = nil }
    return style
  }

  static func ofStandardError() -> Style { of(StandardStreams.error) }

  private static func of(_ raw: Int32) -> Style {
    let isTerminal = Terminal.isTerminal(raw)
    var style = Style(
      isTerminal: isTerminal, noColour: Identity.environment("NO_COLOR"),
      terminal: Identity.environment("TERM"))
    let columns = columns(named: Identity.environment("COLUMNS"), terminal: Terminal.columns(raw))
    style.columns = columns
    style.proseColumns = isTerminal ? columns : nil
    return style
  }

  /// The number of characters in a line: COLUMNS (POSIX, XBD 8.3) before what the terminal says of itself.
  static func columns(named text: String?, terminal: Int?) -> Int {
    if let named = text.flatMap({ Int($0) }), named > 0 { return named }
    return terminal ?? usualColumns
  }

  init(isColoured: Bool, columns: Int? = nil, proseColumns: Int? = nil) {
    (self.isColoured, self.columns, self.proseColumns) = (isColoured, columns, proseColumns)
  }

  init(isTerminal: Bool, noColour: String?, terminal: String?) {
    isColoured = isTerminal && (noColour ?? "").isEmpty && terminal != nil && terminal != "dumb"
  }

  /// The text must have gone through ``Printable/text(_:)``.
  func paint(_ text: String, _ colour: Colour?) -> String {
    guard isColoured, let colour, !text.isEmpty else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }
}

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

  /// Ends this process behind its whole answer.
  static func end(_ text: String) -> Never {
    do throws(Failure) { try write(text) } catch { error.end() }
    Process.exit(0)
  }

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

extension String {
  /// The blanks that are missing to a width.
  func padding(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) }
}

enum Prose {
  /// Each line has at most `columns` characters. The lines that go on are indented as their first one, and by
  /// `hanging` more. A word that is longer than a line stays whole.
  static func wrapped(_ text: String, columns: Int?, hanging: Int = 2) -> String {
    guard let columns, columns > 0 else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { broken($0, columns: columns, hanging: hanging) }.joined(separator: "\n")
  }

  private static func broken(_ line: Substring, columns: Int, hanging: Int) -> String {
    guard width(line) > columns else { return String(line) }
    let start = line.prefix { $0 == " " }.count
    // A deep indent would leave a narrow column.
    let indent = String(repeating: " ", count: start + hanging <= columns / 2 ? start + hanging : 2)
    var lines: [String] = []
    var current = String(line.prefix(start))
    var isEmpty = true
    for word in line.dropFirst(start).split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, width(current[...]) + 1 + width(word) > columns {
        while current.last == " " { current.removeLast() }
        lines.append(current)
        (current, isEmpty) = (indent, true)
      }
      if isEmpty, word.isEmpty, !lines.isEmpty { continue }
      current += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return (lines + [current]).joined(separator: "\n")
  }

  static func width(_ text: Substring) -> Int {
    guard text.utf8.contains(0x1B) else { return text.count }
    var (count, isCode) = (0, false)
    for character in text {
      if character == "\u{1B}" { isCode = true }
      if !isCode { count += 1 }
      if character == "m" { isCode = false }
    }
    return count
  }
}

/// Durations as people read them: `31 us`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
enum DurationText {
  private static let minute = 60
  private static let hour = 3600
  private static let day = 86_400

  /// The two largest units of a duration in seconds, cut off, not rounded up; negative is 0.
  static func text(seconds: Double) -> String {
    guard seconds > 0 else { return "0 s" }
    switch seconds {
    case ..<0.001: return "\(Int(seconds * 1e6)) us"
    case ..<1: return "\(Int(seconds * 1e3)) ms"
    case ..<10: return tenths(seconds)
    case ..<Double(Int32.max): return units(Int(seconds))
    default: return "more than 68 years"
    }
  }

  /// The largest unit alone, in whole numbers: `0 s`, `45 s`, `3 min`, `2 h`, `5 d`.
  static func short(seconds: Double) -> String {
    guard seconds >= 1 else { return "0 s" }
    guard seconds < Double(Int32.max) else { return text(seconds: seconds) }
    let whole = Int(seconds)
    switch whole {
    case ..<minute: return "\(whole) s"
    case ..<hour: return "\(whole / minute) min"
    case ..<day: return "\(whole / hour) h"
    default: return "\(whole / day) d"
    }
  }

  /// The time, in seconds, for which the short form of a duration stays about right.
  static func patience(seconds: Double) -> Double {
    switch abs(seconds) {
    case ..<Double(minute): 1
    case ..<Double(hour): Double(minute)
    default: Double(hour)
    }
  }

  static func text(microseconds: Int64) -> String { text(seconds: Double(microseconds) / 1e6) }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int(seconds * 10)
    return tenths.isMultiple(of: 10) ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  private static func units(_ seconds: Int) -> String {
    switch seconds {
    case ..<minute: "\(seconds) s"
    case ..<hour: pair(large: seconds / minute, unit: "min", small: seconds % minute, smallUnit: "s")
    case ..<day: pair(large: seconds / hour, unit: "h", small: seconds % hour / minute, smallUnit: "min")
    default: pair(large: seconds / day, unit: "d", small: seconds % day / hour, smallUnit: "h")
    }
  }

  private static func pair(large: Int, unit: String, small: Int, smallUnit: String) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
  }
}

extension LocalTime {
  /// For example `2026-01-02 10:11:12`.
  var withoutFraction: String { String(description.prefix { $0 != "." }) }
  /// For example `01-02 10:11`.
  var short: String { String(description.dropFirst(5).prefix(11)) }
}

extension Failure {
  /// Ends this process. When standard error is closed, the exit status still tells the failure.
  func end() -> Never {
    for line in lines { Output.complain(line) }
    Process.exit(exitStatus)
  }
}
