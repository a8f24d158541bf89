/// Goes through the fields of a message. A description names each field once, with its value. A visitor reads
/// the field, writes it or lists it, and gives back the value that the field has from then on.
package protocol FieldVisitor {
  mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value
  ) throws(WireError) -> Value

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value?
}

extension FieldVisitor {
  /// The way of a visitor that reads.
  package mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value
  ) throws(WireError) -> Value {
    guard let read = try optional(key, type, value: value) else { throw .missingField(key.rawValue) }
    return read
  }

  mutating func flag(_ key: Key, _ value: Bool) throws(WireError) -> Bool {
    try optional(key, .flag, value: value ? true : nil) ?? false
  }

  mutating func list<Element>(
    _ key: Key, _ type: FieldType<[Element]>, value: [Element]
  ) throws(WireError) -> [Element] {
    try optional(key, type, value: value.isEmpty ? nil : value) ?? []
  }

  mutating func set<Words: WordSet>(_ key: Key, _ value: Words) throws(WireError) -> Words {
    try optional(key, .words, value: value.isEmpty ? nil : value) ?? []
  }
}

extension FieldVisitor {
  mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: inout Value
  ) throws(WireError) {
    value = try needed(key, type, value: value)
  }

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: inout Value?
  ) throws(WireError) {
    value = try optional(key, type, value: value)
  }

  mutating func flag(_ key: Key, _ value: inout Bool) throws(WireError) { value = try flag(key, value) }

  /// A field that is left out where its value is the usual one.
  mutating func usual<Value: Equatable>(
    _ key: Key, _ type: FieldType<Value>, value: inout Value
  ) throws(WireError) {
    let read = try optional(key, type, value: value == type.usual ? nil : value)
    value = read ?? type.usual ?? value
  }
}

struct FieldReader: FieldVisitor {
  private let message: Message
  private var taken = 0

  init(_ message: Message) { self.message = message }

  var hasTakenAll: Bool { taken == message.fields.count }

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value? {
    guard let read = try type.read(message, key) else { return nil }
    taken += 1
    return read
  }
}

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

package struct FieldDescription: Equatable, Sendable {
  package let key: Key
  package let shape: FieldShape
  /// The message needs the field whatever other fields it has.
  package let isNeeded: Bool
}
