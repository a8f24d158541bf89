/// The reason why a text line is no message, or a message is no request.
package enum WireError: Error, Equatable, Sendable {
  /// The text line breaks the grammar; `reason` is one clause without a full stop.
  case malformed(reason: String)
  case notUTF8
  /// The text line has more than ``Limits/maximumLine`` bytes.
  case tooLong
  /// `suggestion` is the nearest verb that exists.
  case unknownVerb(String, suggestion: String?)
  /// The request needs this field, or one of these (`at or in`).
  case missingField(String)
  /// The value is not what the request expects; `expected` is a noun.
  case badValue(key: String, value: String, expected: String)
  /// The request has no such field; `known` are the fields that it has.
  case unknownField(String, verb: String, known: [String])

  /// The code of the table in docs/PROTOCOL.md.
  package var code: Code {
    switch self {
    case .malformed: .malformed
    case .notUTF8: .notUTF8
    case .tooLong: .tooLong
    case .unknownVerb: .unknownVerb
    case .missingField: .missingField
    case .badValue, .unknownField: .badValue
    }
  }

  package var message: String {
    switch self {
    case .malformed(let reason):
      return reason
    case .notUTF8:
      return "the line is not UTF-8"
    case .tooLong:
      return "a line has at most \(Limits.maximumLine) bytes"
    case .unknownVerb(let verb, let suggestion):
      let hint = suggestion.map { ": did you mean \"\($0)\"?" } ?? ""
      return "unknown verb \(quoted(verb))\(hint)"
    case .missingField(let key):
      return "\(key) is missing"
    case .badValue(let key, let value, let expected):
      return "\(key)=\(quoted(value)): expected \(expected)"
    case .unknownField(let key, let verb, let known):
      let fields = known.isEmpty ? "has no fields" : "knows only \(known.joined(separator: ", "))"
      return "unknown field \(quoted(key)): \(verb) \(fields)"
    }
  }

  private func quoted(_ text: String) -> String {
    let limit = 64
    guard text.utf8.count > limit else { return "\"\(text)\"" }
    return "\"\(text.prefix(maximumBytes: limit))...\""
  }
}

extension String {
  /// The longest beginning of at most `maximumBytes` bytes that ends between two scalars.
  func prefix(maximumBytes: Int) -> Substring {
    // A string's slice rounds an index within a scalar down to the scalar's start.
    self[..<(utf8.index(utf8.startIndex, offsetBy: maximumBytes, limitedBy: utf8.endIndex) ?? utf8.endIndex)]
  }
}
