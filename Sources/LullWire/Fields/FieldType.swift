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
    _ shape: @escaping @autoclosure () -> FieldShape, expected: @escaping @autoclosure () -> String,
    parse: @escaping (String) -> Value?, text: @escaping (Value) -> String?
  ) {
    self.init(shape()) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      guard let value = parse(text) else {
        throw .badValue(key: key.rawValue, value: text, expected: expected())
      }
      return value
    } write: {
      $0.adding($1, text($2))
    }
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
    .init(
      .flag, usual: false,
      read: { (message, key) throws(WireError) in message[key] == nil ? nil : try message.flag(key) },
      write: { $0.adding(flag: $1, if: $2) })
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
      read: { (message, key) throws(WireError) in
        try message.integer(ifPresent: key, in: Int64(range.lowerBound)...Int64(range.upperBound))
          .map { Value($0) }
      },
      write: { $0.adding($1, $2) })
  }
}

extension FieldType<UInt64> {
  static var unsigned: Self {
    .init(
      .number(0 ... .max), read: { (message, key) throws(WireError) in try message.unsigned(ifPresent: key) },
      write: { $0.adding($1, $2) })
  }
}

extension FieldType where Value: NumberedID {
  static var identifier: Self {
    .init(
      .number(0...UInt64(UInt32.max)),
      read: { (message, key) throws(WireError) in try message.identifier(ifPresent: key) },
      write: { $0.adding($1, $2.number) })
  }
}

extension FieldType<Ticket> {
  static var ticket: Self {
    .init(
      .number(0 ... .max),
      read: { (message, key) throws(WireError) in try message.unsigned(ifPresent: key).map { Ticket($0) } },
      write: { $0.adding($1, $2.number) })
  }
}

extension FieldType<Interval> {
  static func seconds(in range: ClosedRange<Interval>) -> Self {
    .init(
      .seconds(range),
      read: { (message, key) throws(WireError) in try message.interval(ifPresent: key, in: range) },
      write: { $0.adding($1, $2) })
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
      .word(Value.allCases.map(\.rawValue)),
      read: { (message, key) throws(WireError) in try message.word(ifPresent: key, as: Value.self) },
      write: { $0.adding($1, $2.rawValue) })
  }
}

extension FieldType where Value: RawRepresentable<String> {
  static func word(among words: [Value]) -> Self {
    .init(
      .word(words.map(\.rawValue)),
      read: { (message, key) throws(WireError) in try message.word(ifPresent: key, among: words) },
      write: { $0.adding($1, $2.rawValue) })
  }
}

extension FieldType where Value: WordSet {
  static var words: Self {
    .init(
      .words(Value.words),
      read: { (message, key) throws(WireError) in try message.words(ifPresent: key, as: Value.self) },
      write: { $0.adding($1, list: $2.words) })
  }
}

extension FieldType<[UInt16]> {
  static var ports: Self {
    .init(
      .ports, read: { (message, key) throws(WireError) in try message.ports(ifPresent: key) },
      write: { $0.adding($1, numbers: $2) })
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
  static var schemes: Self {
    .init(.schemes) { (message, key) throws(WireError) in
      guard let parts = try message.list(ifPresent: key) else { return nil }
      let isDouble = parts.indices.contains { parts[..<$0].contains(parts[$0]) }
      guard parts.count <= Limits.maximumSchemes, !isDouble, parts.allSatisfy(LinkURL.isScheme) else {
        throw .badValue(
          key: key.rawValue, value: parts.joined(separator: ","), expected: LinkURL.expectedScheme)
      }
      return parts
    } write: {
      $0.adding($1, list: $2)
    }
  }

  static var list: Self {
    .init(
      .list, read: { (message, key) throws(WireError) in try message.list(ifPresent: key) },
      write: { $0.adding($1, list: $2) })
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
    .init(shape) { (message, key) throws(WireError) in
      guard let parts = try message.list(ifPresent: key) else { return nil }
      let found = parts.compactMap { Element($0) }
      guard found.count == parts.count, found.count <= most else {
        throw .badValue(
          key: key.rawValue, value: parts.joined(separator: ","), expected: "\(expected); at most \(most)")
      }
      return found
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
      .integer, usual: usual,
      read: { (message, key) throws(WireError) in try message.integer(ifPresent: key) },
      write: { $0.adding($1, $2) })
  }
}

extension FieldType<Double> {
  static var decimal: Self {
    .init(
      .decimal, read: { (message, key) throws(WireError) in try message.number(ifPresent: key) },
      write: { $0.adding($1, $2) })
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
    } write: {
      $0.adding($1, list: $2.map { String($0) })
    }
  }
}
