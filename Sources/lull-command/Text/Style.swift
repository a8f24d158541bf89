import LullSystem

/// Colour, only on a terminal and only where it is wanted.
struct Style: Equatable {
  /// The colours, by their SGR codes (ECMA-48, section 8.3.117).
  enum Colour: String {
    case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", cyan = "36"
  }

  /// Whether `paint` colours.
  let isColoured: Bool

  /// No colour.
  static let plain = Style(isColoured: false)

  /// Standard output's: colour on a terminal, unless NO_COLOR is set (no-color.org) or TERM is `dumb`.
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

/// Text that others chose (names, notifications, log details), made safe for a terminal.
enum Printable {
  /// The text with control characters written as `\u001b`: a program's text must not steer the terminal.
  static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
