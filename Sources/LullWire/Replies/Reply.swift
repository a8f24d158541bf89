/// The text line that ends the answer to a request.
package enum Reply: Equatable, Sendable {
  /// The message's verb is `ok`.
  case ok(Message)
  /// The message is one line for people.
  case error(code: Code, message: String)

  package static var ok: Reply { .ok(Message(.ok)) }

  package init(_ error: WireError) {
    self = .error(code: error.code, message: error.message)
  }

  /// Nil when the message is an item or a notice.
  ///
  /// A code that this version does not know is read as `unsupported`, with the code before the message.
  /// Throws `missingField` for an error without code and `malformed` for a text line that no daemon writes.
  package init?(_ message: Message) throws(WireError) {
    switch message.answer {
    case .ok:
      self = .ok(message)
    case .error:
      let word = try message.string(.code)
      let text = message[.message] ?? ""
      if let code = Code(rawValue: word) {
        self = .error(code: code, message: text)
      } else {
        self = .error(code: .unsupported, message: "\(word): \(text)")
      }
    case .item, .event:
      return nil
    case nil:
      throw .malformed(reason: "a reply does not start with \"\(message.verb)\"")
    }
  }

  package var message: Message {
    switch self {
    case .ok(let message): message
    case .error(let code, let text): Message(.error).adding(.code, code.rawValue).adding(.message, text)
    }
  }
}
