/// JSON text (RFC 8259) of the few kinds of values that are printed.
indirect enum JSON {
  /// Nil is `null`.
  case string(String?)
  case integer(Int?)
  /// What is not finite is `null`.
  case number(Double?)
  case bool(Bool)
  case object([(String, JSON)])
  case array([JSON])

  var text: String {
    switch self {
    case .string(let value?): JSON.quoted(value)
    case .integer(let value?): String(value)
    case .number(let value?) where value.isFinite: String(value)
    case .string(nil), .integer(nil), .number: "null"
    case .bool(let value): value ? "true" : "false"
    case .object(let members):
      "{" + members.map { "\(JSON.quoted($0.0)):\($0.1.text)" }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
