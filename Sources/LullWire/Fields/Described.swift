/// A value whose fields stand in a message.
///
/// Its description, ``visited(by:)``, is the only place that knows the fields. The parser, the encoder and
/// the list of the known fields are visitors of it.
package protocol Described {
  /// The value after `fields` has been to each of its fields, in the order in which they are written.
  func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self
}

extension Described {
  package var fieldDescriptions: [FieldDescription] {
    var lister = FieldLister()
    _ = try? visited(by: &lister)
    return lister.fields
  }

  package func adding(to message: Message) -> Message {
    var writer = FieldWriter(message)
    // A value out of bounds is refused by its reader.
    _ = try? visited(by: &writer)
    return writer.message
  }
}

/// A part of a message, or of several kinds of messages.
package protocol FieldGroup: Described {
  static var blank: Self { get }
}

extension FieldGroup {
  /// Fields of other messages are passed over.
  package init(_ message: Message) throws(WireError) {
    var reader = FieldReader(message)
    self = try Self.blank.visited(by: &reader)
  }

  package static var fields: [FieldDescription] { blank.fieldDescriptions }
}

/// A message whose first word says which fields it has.
package protocol DescribedMessage: Described, Equatable, Sendable {
  associatedtype FirstWord: RawRepresentable<String>, CaseIterable, Sendable

  var verb: FirstWord { get }

  /// A message whose fields are still to be read.
  static func blank(_ verb: FirstWord) -> Self
}

extension DescribedMessage {
  /// Throws `unknownVerb`, `missingField`, `badValue`, or `unknownField` for a field that the message does
  /// not know, so that a slip of the pen is seen.
  package static func parse(_ message: Message) throws(WireError) -> Self {
    guard let verb = FirstWord(rawValue: message.verb) else {
      let known = FirstWord.allCases.map(\.rawValue)
      throw .unknownVerb(message.verb, suggestion: Spelling.nearest(to: message.verb, among: known))
    }
    var reader = FieldReader(message)
    let described: Self
    do throws(WireError) {
      described = try blank(verb).visited(by: &reader)
    } catch {
      // The missing field may be there, mistyped.
      try refuseUnknownFields(message, of: verb)
      throw error
    }
    if !reader.hasTakenAll { try refuseUnknownFields(message, of: verb) }
    return described
  }

  private static func refuseUnknownFields(_ message: Message, of verb: FirstWord) throws(WireError) {
    let known = fields(of: verb).map(\.key.rawValue)
    for field in message.fields where !known.contains(field.key) {
      throw .unknownField(field.key, verb: verb.rawValue, known: known)
    }
  }

  package static func fields(of verb: FirstWord) -> [FieldDescription] { blank(verb).fieldDescriptions }

  package func message() -> Message {
    adding(to: Message(verb: verb.rawValue, noticeName: nil, fields: []))
  }
}
