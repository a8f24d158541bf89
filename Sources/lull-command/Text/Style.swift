import LullSystem

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
  /// True when a table has the short form of each cell, which changes less often.
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
