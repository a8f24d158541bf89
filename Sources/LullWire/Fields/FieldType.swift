package struct FieldType<Value> {
  private let describe: () -> FieldShape
  /// Nil when the field is missing.
  package let read: (Message, Key) throws(WireError) -> Value?
  package let write: (Message, Key, Value) -> Message
  /// The value that a missing field stands for.
  package let usual: Value?

  init(
    _ shape: @escaping @autoclosure () -> FieldShape, usual: Value? = nil,
    read: @escaping (Message, Key) throws(WireError) -> Value?,
    write: @escaping (Message, Key, Value) -> Message
  ) {
    (describe, self.read, self.write, self.usual) = (shape, read, write, usual)
  }

  package var shape: FieldShape { describe() }
}

package enum FieldShape: Equatable, Sendable {
  case flag
  case text
  case programName
  case deviceName
  case url
  /// `default`, or the absolute path of a file.
  case sound
  case schemes
  case number(ClosedRange<UInt64>)
  /// A duration, or a date as the time since 1970.
  case seconds(ClosedRange<Interval>)
  /// A duration, or `never`.
  case secondsOrNever(ClosedRange<Interval>)
  /// A duration, or one of the words.
  case secondsOrWord(ClosedRange<Interval>, [String])
  case word([String])
  case words([String])
  case ports
  case line(Verb)
  case integer
  case decimal
  case list
}

extension FieldType<Bool> {
  static var flag: Self {
    .init(.flag, usual: false) { (message, key) throws(WireError) in
      message[key] == nil ? nil : try message.flag(key)
    } write: { message, key, value in
      message.adding(flag: key, if: value)
    }
  }
}

extension FieldType<String> {
  static var text: Self {
    .init(.text) { (message, key) throws(WireError) in
      message[key]
    } write: { message, key, value in
      message.adding(key, value)
    }
  }

  static var programName: Self { checked(.programName, ProgramName.isValid, expected: ProgramName.expected) }
  static var deviceName: Self { checked(.deviceName, DeviceName.isValid, expected: DeviceName.expected) }
  static var url: Self { checked(.url, { LinkURL.scheme(of: $0) != nil }, expected: LinkURL.expected) }

  private static func checked(
    _ shape: FieldShape, _ isValid: @escaping (String) -> Bool, expected: String
  ) -> Self {
    .init(shape) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      guard isValid(text) else {
        throw .badValue(key: key.rawValue, value: text, expected: expected)
      }
      return text
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType where Value: FixedWidthInteger & Sendable {
  /// `range` has no number below 0 and none above the greatest `Int64`.
  static func number(in range: ClosedRange<Value>) -> Self {
    .init(.number(UInt64(range.lowerBound)...UInt64(range.upperBound))) { (message, key) throws(WireError) in
      try message.integer(ifPresent: key, in: Int64(range.lowerBound)...Int64(range.upperBound))
        .map { Value($0) }
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType<UInt64> {
  static var unsigned: Self {
    .init(.number(0 ... .max)) { (message, key) throws(WireError) in
      try message.unsigned(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType where Value: NumberedID {
  static var identifier: Self {
    .init(.number(0...UInt64(UInt32.max))) { (message, key) throws(WireError) in
      try message.identifier(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, value.number)
    }
  }
}

extension FieldType<Ticket> {
  static var ticket: Self {
    .init(.number(0 ... .max)) { (message, key) throws(WireError) in
      try message.unsigned(ifPresent: key).map { Ticket($0) }
    } write: { message, key, value in
      message.adding(key, value.number)
    }
  }
}

extension FieldType<Interval> {
  static func seconds(in range: ClosedRange<Interval>) -> Self {
    .init(.seconds(range)) { (message, key) throws(WireError) in
      try message.interval(ifPresent: key, in: range)
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static var word: Self {
    .init(.word(Value.allCases.map(\.rawValue))) { (message, key) throws(WireError) in
      try message.word(ifPresent: key, as: Value.self)
    } write: { message, key, value in
      message.adding(key, word: value)
    }
  }
}

extension FieldType where Value: RawRepresentable<String> {
  static func word(among words: [Value]) -> Self {
    .init(.word(words.map(\.rawValue))) { (message, key) throws(WireError) in
      try message.word(ifPresent: key, among: words)
    } write: { message, key, value in
      message.adding(key, value.rawValue)
    }
  }
}

extension FieldType where Value: WordSet {
  /// A set of words, each at most once.
  static var words: Self {
    .init(.words(Value.words)) { (message, key) throws(WireError) in
      try message.words(ifPresent: key, as: Value.self)
    } write: { message, key, value in
      message.adding(key, words: value)
    }
  }
}

extension FieldType<[UInt16]> {
  /// Ports, each at most once.
  static var ports: Self {
    .init(.ports) { (message, key) throws(WireError) in
      try message.ports(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, numbers: value)
    }
  }
}

// The fields of records, whose reader takes whatever the daemon has written.

extension FieldType<Int64> {
  static var integer: Self { integer(nil) }

  static func integer(_ usual: Int64?) -> Self {
    .init(.integer, usual: usual) { (message, key) throws(WireError) in
      try message.integer(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType<Double> {
  static var decimal: Self {
    .init(.decimal) { (message, key) throws(WireError) in
      try message.number(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, value)
    }
  }
}

extension FieldType<[String]> {
  static var list: Self {
    .init(.list) { (message, key) throws(WireError) in
      try message.list(ifPresent: key)
    } write: { message, key, value in
      message.adding(key, list: value)
    }
  }
}

extension FieldType<[Int64]> {
  static var integers: Self {
    .init(.list) { (message, key) throws(WireError) in
      guard let parts = try message.list(ifPresent: key) else { return nil }
      let numbers = parts.compactMap { Int64($0) }
      guard numbers.count == parts.count else {
        throw .badValue(key: key.rawValue, value: message[key] ?? "", expected: "a list of numbers")
      }
      return numbers
    } write: { message, key, value in
      message.adding(key, list: value.map { String($0) })
    }
  }
}
