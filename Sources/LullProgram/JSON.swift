/// A value of JSON (RFC 8259), and its text. Nil is `null`.
package indirect enum JSON: Sendable {
  case string(String?)
  case integer(Int?)
  /// A number that is not finite is `null`.
  case number(Double?)
  case bool(Bool)
  /// The members stand in this order.
  case object([(String, JSON)])
  case array([JSON])

  package static var null: JSON { .string(nil) }

  /// The text in one line, without spaces and without a LF.
  package var text: String {
    switch self {
    case .string(let value?): JSON.quoted(value)
    case .integer(let value?): String(value)
    case .number(let value?) where value.isFinite: JSON.plain(value)
    case .string(nil), .integer(nil), .number: "null"
    case .bool(let value): value ? "true" : "false"
    case .object(let members):
      "{" + members.map { "\(JSON.quoted($0.0)):\($0.1.text)" }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    }
  }

  /// The text with a line for each value, indented by two spaces, without a LF at its end.
  package var indentedText: String { indented(0) }

  private func indented(_ depth: Int) -> String {
    func lines(open: String, _ parts: [String], close: String) -> String {
      let space = String(repeating: "  ", count: depth)
      return open + "\n" + parts.map { "\(space)  \($0)" }.joined(separator: ",\n") + "\n" + space + close
    }
    switch self {
    case .object(let members):
      return lines(
        open: "{", members.map { "\(JSON.quoted($0.0)) : \($0.1.indented(depth + 1))" }, close: "}")
    case .array(let values):
      return lines(open: "[", values.map { $0.indented(depth + 1) }, close: "]")
    default: return text
    }
  }

  private static func plain(_ value: Double) -> String {
    let text = String(value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // A terminal takes those of 8 bits for its own, too.
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
