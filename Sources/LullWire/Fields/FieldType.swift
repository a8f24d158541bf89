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

  /// `parse` returns nil for a text that is not `expected`; a value whose `text` is nil is not written.
  init(
    _ shape: @escaping @autoclosure () -> FieldShape, usual: Value? = nil,
    expected: @escaping @autoclosure () -> String, parse: @escaping (String) -> Value?,
    text: @escaping (Value) -> String?
  ) {
    self.init(shape(), usual: usual) { (message, key) throws(WireError) in
      try message.value(key, expected: expected(), parse: parse)
    } write: {
      $0.adding($1, text($2))
    }
  }

  package var shape: FieldShape { describe() }
}

extension Message {
  /// Nil where the field is missing; `parse` returns nil for a text that is not `expected`.
  fileprivate func value<Value>(
    _ key: Key, expected: @autoclosure () -> String, parse: (String) -> Value?
  ) throws(WireError) -> Value? {
    guard let text = self[key] else { return nil }
    guard let value = parse(text) else {
      throw .badValue(key: key.rawValue, value: text, expected: expected())
    }
    return value
  }
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
  case accessories
  case peers
  case probes
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
  case integer
  case decimal
  case list
}

extension FieldType<Bool> {
  static var flag: Self {
    .init(.flag, usual: false) { (message, key) throws(WireError) in
      try message.value(key, expected: "true or false") { Bool($0) }
    } write: {
      $0.adding(flag: $1, if: $2)
    }
  }
}

extension FieldType<String> {
  static var text: Self { .init(.text, read: { $0[$1] }, write: { $0.adding($1, $2) }) }
  static var programName: Self { checked(.programName, ProgramName.isValid, expected: ProgramName.expected) }
  static var deviceName: Self { checked(.deviceName, DeviceName.isValid, expected: DeviceName.expected) }
  static var url: Self { checked(.url, { LinkURL.scheme(of: $0) != nil }, expected: LinkURL.expected) }

  private static func checked(
    _ shape: FieldShape, _ isValid: @escaping (String) -> Bool, expected: String
  ) -> Self {
    .init(shape, expected: expected, parse: { isValid($0) ? $0 : nil }, text: { $0 })
  }
}

extension FieldType where Value: FixedWidthInteger & Sendable {
  /// `range` lies between 0 and the greatest `Int64`.
  static func number(in range: ClosedRange<Value>) -> Self {
    .init(
      .number(UInt64(range.lowerBound)...UInt64(range.upperBound)),
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { Decimal.integer($0).flatMap(Value.init(exactly:)).flatMap { range.contains($0) ? $0 : nil } },
      text: { String($0) })
  }
}

extension FieldType<UInt64> {
  static var unsigned: Self {
    .init(
      .number(0 ... .max), expected: "a whole number, 0 or more", parse: { Decimal.unsigned($0) },
      text: { String($0) })
  }
}

extension FieldType where Value: NumberedID {
  static var identifier: Self {
    .init(
      .number(0...UInt64(UInt32.max)), expected: "a whole number from 0 to \(UInt32.max)",
      parse: { Decimal.integer($0).flatMap(UInt32.init(exactly:)).map(Value.init) },
      text: { String($0.number) })
  }
}

extension FieldType<Ticket> {
  static var ticket: Self {
    .init(
      .number(0 ... .max), expected: "a whole number, 0 or more",
      parse: { Decimal.unsigned($0).map(Ticket.init) }, text: { String($0.number) })
  }
}

extension FieldType<Interval> {
  static var seconds: Self {
    .init(
      .seconds(Bounds.durations), expected: "seconds, such as 600 or 0.25, at most nine decimals",
      parse: Seconds.interval, text: Seconds.text)
  }

  static func seconds(in range: ClosedRange<Interval>) -> Self {
    .init(.seconds(range)) { (message, key) throws(WireError) in
      guard let value = try seconds.read(message, key) else { return nil }
      guard range.contains(value) else {
        throw .badValue(key: key.rawValue, value: message[key] ?? "", expected: Seconds.range(range))
      }
      return value
    } write: {
      $0.adding($1, $2)
    }
  }
}

extension FieldType<TimerRule> {
  private static var never: String { "never" }

  static var timers: Self {
    let range = Bounds.timerFloors
    return .init(.secondsOrNever(range), expected: "\(Seconds.range(range)), or \(never)") { text in
      if text == never { return .never }
      return Seconds.interval(text).flatMap { range.contains($0) ? .floor($0) : nil }
    } text: {
      switch $0 {
      case .automatic: nil
      case .floor(let floor): Seconds.text(floor)
      case .never: never
      }
    }
  }
}

extension FieldType<RepeatRule> {
  static var repeatRule: Self {
    let range = Bounds.durations
    let words = CalendarUnit.allCases.map(\.rawValue)
    return .init(
      .secondsOrWord(range, words), expected: "\(Seconds.range(range)), or \(words.joined(separator: ", "))"
    ) { text in
      if let unit = CalendarUnit(rawValue: text) { return .calendar(unit) }
      return Seconds.interval(text).flatMap { range.contains($0) ? .every($0) : nil }
    } text: {
      switch $0 {
      case .every(let interval): Seconds.text(interval)
      case .calendar(let unit): unit.rawValue
      }
    }
  }
}

extension FieldType where Value: RawRepresentable<String> & CaseIterable {
  static var word: Self {
    .init(
      .word(Value.allCases.map(\.rawValue)), expected: oneOf(Value.allCases.map(\.rawValue)),
      parse: Value.init(rawValue:), text: { $0.rawValue })
  }
}

extension FieldType where Value: RawRepresentable<String> {
  static func word(among words: [Value]) -> Self {
    .init(
      .word(words.map(\.rawValue)), expected: oneOf(words.map(\.rawValue)),
      parse: { text in words.first { $0.rawValue == text } }, text: { $0.rawValue })
  }
}

extension FieldType where Value: WordSet {
  /// Each word stands at most once.
  static var words: Self {
    .init(.words(Value.words)) { (message, key) throws(WireError) in
      guard let parts = try FieldType<[String]>.list.read(message, key) else { return nil }
      var words: Value = []
      for part in parts {
        guard let member = Value(word: part) else {
          throw .badValue(key: key.rawValue, value: part, expected: oneOf(Value.words))
        }
        guard words.isDisjoint(with: member) else {
          throw .badValue(key: key.rawValue, value: message[key] ?? "", expected: "each word once")
        }
        words.formUnion(member)
      }
      return words
    } write: {
      $0.adding($1, list: $2.words)
    }
  }
}

private func oneOf(_ words: [String]) -> String { "one of \(words.joined(separator: ", "))" }

extension FieldType<[UInt16]> {
  /// Ports from 1 to 65535, each at most once.
  static var ports: Self {
    .init(.ports) { (message, key) throws(WireError) in
      guard let parts = try FieldType<[String]>.list.read(message, key) else { return nil }
      var ports: [UInt16] = []
      for part in parts {
        guard let port = Decimal.unsigned(part).flatMap(UInt16.init(exactly:)), port > 0 else {
          throw .badValue(
            key: key.rawValue, value: part, expected: "ports from 1 to 65535, such as 5060,5061")
        }
        guard !ports.contains(port) else {
          throw .badValue(key: key.rawValue, value: message[key] ?? "", expected: "each port once")
        }
        ports.append(port)
      }
      return ports
    } write: {
      $0.adding($1, list: $2.map(\.description))
    }
  }
}

extension FieldType<NotificationSound> {
  /// A relative path would be another file for the daemon.
  static var sound: Self {
    .init(.sound, expected: "default, or the absolute path of a file") {
      $0 == NotificationSound.default.word || $0.hasPrefix("/") ? NotificationSound(word: $0) : nil
    } text: {
      $0.word
    }
  }
}

extension FieldType<[String]> {
  static var list: Self {
    .init(.list) { (message, key) throws(WireError) in
      try message.value(key, expected: "a list such as one,two") { text in
        guard !text.isEmpty else { return [] }
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return parts.contains(where: \.isEmpty) ? nil : parts.map { String(Substring($0)) }
      }
    } write: {
      $0.adding($1, list: $2)
    }
  }

  static var schemes: Self {
    .list(.schemes, expected: LinkURL.expectedScheme) { parts in
      let isDouble = parts.indices.contains { parts[..<$0].contains(parts[$0]) }
      let isRight = parts.count <= Limits.maximumSchemes && !isDouble && parts.allSatisfy(LinkURL.isScheme)
      return isRight ? parts : nil
    }
  }
}

extension FieldType<[Accessory]> {
  static var accessories: Self {
    elements(.accessories, most: Limits.maximumAccessories, expected: Accessory.expected)
  }
}

extension FieldType<[PeerRange]> {
  static var peers: Self { elements(.peers, most: Limits.maximumPeers, expected: PeerRange.expected) }
}

extension FieldType<[ProbeRule]> {
  static var probes: Self { elements(.probes, most: Limits.maximumPeers, expected: ProbeRule.expected) }
}

extension FieldType {
  private static func elements<Element: LosslessStringConvertible>(
    _ shape: FieldShape, most: Int, expected: String
  ) -> Self where Value == [Element] {
    list(shape, expected: "\(expected); at most \(most)") { parts in
      let found = parts.compactMap { Element($0) }
      return found.count == parts.count && found.count <= most ? found : nil
    }
  }

  /// `parse` returns nil for the parts of a list that are not `expected`.
  fileprivate static func list<Element: CustomStringConvertible>(
    _ shape: FieldShape, expected: String, parse: @escaping ([String]) -> [Element]?
  ) -> Self where Value == [Element] {
    .init(shape) { (message, key) throws(WireError) in
      guard let parts = try FieldType<[String]>.list.read(message, key) else { return nil }
      guard let elements = parse(parts) else {
        throw .badValue(key: key.rawValue, value: message[key] ?? "", expected: expected)
      }
      return elements
    } write: {
      $0.adding($1, list: $2.map(\.description))
    }
  }
}

extension PeerRange {
  /// The words for a text that is no range of addresses.
  package static let expected =
    "an address such as 10.0.0.1 or fd00::1, or a range such as 10.0.0.0/8 (to /32) or fd00::/8 (to /128)"
}

extension ProbeRule {
  /// The words for a text that is no rule.
  package static let expected =
    "PORT, PORT/PATH or /PATH, such as 8080/healthz, with a path of at most \(longestPath) letters, and "
    + "without blanks and commas"
}

extension Accessory {
  /// The words for a text that names no accessory.
  package static var expected: String {
    let words = AccessorySubsystem.allCases.map(\.rawValue).joined(separator: ", ")
    return
      "\(words), and behind it :VENDOR or :VENDOR:PRODUCT, if wanted, each 4 hexadecimal digits as lsusb "
      + "shows them, such as usb:046d:c52b"
  }
}

// The fields of records, whose reader takes whatever the daemon has written.

extension FieldType {
  static func openWord<Known>() -> Self where Value == OpenWord<Known> {
    .init(.text, read: { $0[$1].map { OpenWord($0) } }, write: { $0.adding($1, $2.text) })
  }
}

extension FieldType<Int64> {
  static var integer: Self { integer(nil) }

  static func integer(_ usual: Int64?) -> Self {
    .init(
      .integer, usual: usual, expected: "a whole number", parse: Decimal.integer, text: { String($0) })
  }
}

extension FieldType<Double> {
  static var decimal: Self {
    .init(
      .decimal, expected: "a number", parse: { Double($0).flatMap { $0.isFinite ? $0 : nil } },
      text: { $0.plain })
  }
}

extension FieldType<[Int64]> {
  static var integers: Self {
    .list(.list, expected: "a list of numbers") { parts in
      let numbers = parts.compactMap { Int64($0) }
      return numbers.count == parts.count ? numbers : nil
    }
  }
}
