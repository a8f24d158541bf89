/// Text that others chose (names, tags, a peer's text, details of the log), made safe for a terminal.
package enum Printable {
  /// The text with characters that steer a terminal, end a line or turn the direction of writing as `\u{1B}`:
  /// no text of others may pass for something else.
  package static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The ends of the lines stay.
  package static func lines(_ lines: String) -> String {
    lines.split(separator: "\n", omittingEmptySubsequences: false).map { text(String($0)) }.joined(
      separator: "\n")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
