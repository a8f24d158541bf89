extension Message {
  package func adding(_ key: Key, _ value: String?) -> Message {
    guard let value else { return self }
    return adding(Field(key, value))
  }

  package func adding(_ key: Key, _ value: (some FixedWidthInteger)?) -> Message {
    adding(key, value.map { String($0) })
  }

  /// The number is finite.
  package func adding(_ key: Key, _ value: Double?) -> Message {
    adding(key, value?.plain)
  }

  package func adding(_ key: Key, _ value: Bool?) -> Message { adding(key, value.map { String($0) }) }

  package func adding(flag key: Key, if condition: Bool = true) -> Message {
    condition ? adding(Field(key, nil)) : self
  }

  package func adding(_ key: Key, _ value: Interval?) -> Message { adding(key, value.map(Seconds.text)) }

  /// The parts must not be empty nor contain a comma. An empty list adds `""`.
  package func adding(_ key: Key, list: [String]?) -> Message {
    guard let list else { return self }
    precondition(list.allSatisfy { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: ",")) }, "not a list")
    return adding(Field(key, list.joined(separator: ",")))
  }
}
