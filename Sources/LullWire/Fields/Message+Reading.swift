/// The readers of a field's value. The plain ones throw `missingField`, those with `ifPresent:` return nil.
extension Message {
  package func string(_ key: Key) throws(WireError) -> String { try needed(key, .text) }

  package func integer(_ key: Key) throws(WireError) -> Int64 { try needed(key, .integer) }

  /// `range` does not begin below 0.
  package func integer(_ key: Key, in range: ClosedRange<Int64>) throws(WireError) -> Int64 {
    try needed(key, .number(in: range))
  }

  package func integer(ifPresent key: Key) throws(WireError) -> Int64? { try optional(key, .integer) }

  package func unsigned(_ key: Key) throws(WireError) -> UInt64 { try needed(key, .unsigned) }

  package func identifier<ID: NumberedID>(_ key: Key) throws(WireError) -> ID { try needed(key, .identifier) }

  /// A duration, written in seconds with at most nine decimals.
  package func interval(_ key: Key) throws(WireError) -> Interval { try needed(key, .seconds) }

  package func interval(ifPresent key: Key) throws(WireError) -> Interval? { try optional(key, .seconds) }

  package func number(_ key: Key) throws(WireError) -> Double { try needed(key, .decimal) }

  package func number(ifPresent key: Key) throws(WireError) -> Double? { try optional(key, .decimal) }

  private func needed<Value>(_ key: Key, _ type: FieldType<Value>) throws(WireError) -> Value {
    guard let value = try type.read(self, key) else { throw .missingField(key.rawValue) }
    return value
  }

  private func optional<Value>(_ key: Key, _ type: FieldType<Value>) throws(WireError) -> Value? {
    try type.read(self, key)
  }
}
