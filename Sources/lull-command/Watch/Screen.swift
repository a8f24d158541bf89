import LullSystem

/// The other screen of a terminal, where a text is drawn in place of the one before (xterm, "Alternate Screen
/// Buffer"; the rest is ECMA-48). What was on the terminal before is there again after ``leave()``.
struct Screen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let exit = "\u{1B}[?25h\u{1B}[?1049l"
  private static let top = "\u{1B}[H"
  private static let clearRestOfLine = "\u{1B}[K"
  private static let clearRest = "\u{1B}[J"

  private var isEntered = false

  /// Nil when standard output is no terminal, or one that cannot do it.
  init?() {
    let terminal = Identity.environment("TERM")
    guard Terminal.isTerminal(StandardStreams.output), terminal != nil, terminal != "dumb" else { return nil }
  }

  /// The last row says how many more lines there are.
  mutating func draw(_ text: String) throws(Failure) {
    let lines = Self.fitting(text, rows: Terminal.rows(StandardStreams.output))
    let start = isEntered ? "" : Self.enter
    isEntered = true
    let body = lines.map { $0 + Self.clearRestOfLine }.joined(separator: "\r\n")
    try Output.write(start + Self.top + body + Self.clearRest)
  }

  mutating func leave() {
    guard isEntered else { return }
    isEntered = false
    // A terminal that is gone needs nothing back.
    try? Output.write(Self.exit)
  }

  static func fitting(_ text: String, rows: Int?) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let all = lines.last == "" ? Array(lines.dropLast()) : lines
    guard let rows, rows > 0, all.count > rows else { return all }
    return all.prefix(rows - 1) + ["... and \(all.count - rows + 1) more lines"]
  }
}
