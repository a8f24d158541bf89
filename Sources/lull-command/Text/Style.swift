import LullSystem

/// Colour, only on a terminal and only where it is wanted.
struct Style: Equatable {
  /// The colours, by their SGR codes (ECMA-48, section 8.3.117).
  enum Colour: String {
    case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", cyan = "36"
  }

  /// True when `paint` colours.
  let isColoured: Bool

  /// No colour.
  static let plain = Style(isColoured: false)

  /// The style of standard output: colour on a terminal, unless NO_COLOR is set (no-color.org) or TERM is
  /// `dumb`.
  static func ofStandardOutput() -> Style {
    Style(
      isTerminal: Terminal.isTerminal(StandardStreams.output),
      noColour: Identity.environment("NO_COLOR"), terminal: Identity.environment("TERM"))
  }

  init(isColoured: Bool) { self.isColoured = isColoured }

  init(isTerminal: Bool, noColour: String?, terminal: String?) {
    isColoured = isTerminal && (noColour ?? "").isEmpty && terminal != nil && terminal != "dumb"
  }

  /// The text in a colour; the text must have gone through ``Printable/text(_:)``.
  func paint(_ text: String, _ colour: Colour?) -> String {
    guard isColoured, let colour, !text.isEmpty else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }
}
