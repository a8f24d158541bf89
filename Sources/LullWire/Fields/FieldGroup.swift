/// A value whose fields stand in a message.
///
/// Its description, ``visited(by:)``, is the only place that knows the fields.
package protocol FieldGroup {
  static var blank: Self { get }

  /// The value after `fields` has been to each of its fields, in the order in which they are written.
  func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self
}

extension FieldGroup {
  /// Fields of other messages are passed over.
  package init(_ message: Message) throws(WireError) {
    var reader = FieldReader(message)
    self = try Self.blank.visited(by: &reader)
  }

  package static var fields: [FieldDescription] {
    var lister = FieldLister()
    _ = try? blank.visited(by: &lister)
    return lister.fields
  }

  package func adding(to message: Message) -> Message {
    var writer = FieldWriter(message)
    // A value out of bounds is refused by its reader.
    _ = try? visited(by: &writer)
    return writer.message
  }
}
