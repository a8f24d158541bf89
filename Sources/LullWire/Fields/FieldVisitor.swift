/// Goes through the fields of a message. A description names each field once, with its value. A visitor reads
/// the field, writes it or lists it, and gives back the value that the field has from then on.
package protocol FieldVisitor {
  /// A field that the message needs.
  mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value
  ) throws(WireError) -> Value

  /// A field that may be missing.
  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value?
}

extension FieldVisitor {
  /// A flag; a missing one is false.
  mutating func flag(_ key: Key, _ value: Bool) throws(WireError) -> Bool {
    try optional(key, .flag, value: value ? true : nil) ?? false
  }

  /// A list; a missing one is empty.
  mutating func list<Element>(
    _ key: Key, _ type: FieldType<[Element]>, value: [Element]
  ) throws(WireError) -> [Element] {
    try optional(key, type, value: value.isEmpty ? nil : value) ?? []
  }

  /// A set of words; a missing one is empty.
  mutating func set<Words: WordSet>(_ key: Key, _ value: Words) throws(WireError) -> Words {
    try optional(key, .words, value: value.isEmpty ? nil : value) ?? []
  }
}

/// Takes each field from a message.
struct FieldReader: FieldVisitor {
  private let message: Message
  private var taken = 0

  init(_ message: Message) { self.message = message }

  /// True when the message has no other fields than those that were asked for.
  var hasTakenAll: Bool { taken == message.fields.count }

  mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value
  ) throws(WireError) -> Value {
    guard let read = try optional(key, type, value: value) else { throw .missingField(key.rawValue) }
    return read
  }

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value? {
    guard let read = try type.read(message, key) else { return nil }
    taken += 1
    return read
  }
}

/// Adds each field to a message.
struct FieldWriter: FieldVisitor {
  private(set) var message: Message

  init(_ message: Message) { self.message = message }

  mutating func needed<Value>(_ key: Key, _ type: FieldType<Value>, value: Value) -> Value {
    message = type.write(message, key, value)
    return value
  }

  mutating func optional<Value>(_ key: Key, _ type: FieldType<Value>, value: Value?) -> Value? {
    value.map { needed(key, type, value: $0) }
  }
}

/// Lists the fields.
struct FieldLister: FieldVisitor {
  private(set) var fields: [FieldDescription] = []

  mutating func needed<Value>(_ key: Key, _ type: FieldType<Value>, value: Value) -> Value {
    fields.append(FieldDescription(key: key, shape: type.shape, isNeeded: true))
    return value
  }

  mutating func optional<Value>(_ key: Key, _ type: FieldType<Value>, value: Value?) -> Value? {
    fields.append(FieldDescription(key: key, shape: type.shape, isNeeded: false))
    return value
  }
}

/// A field as a description names it.
package struct FieldDescription: Equatable, Sendable {
  /// Its key.
  package let key: Key
  /// The set of its possible values.
  package let shape: FieldShape
  /// True when the message needs the field, whatever else stands there.
  package let isNeeded: Bool
}
