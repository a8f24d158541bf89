/// The readers of a field's value. The plain ones throw `missingField`, those with `ifPresent:` return nil.
extension Message {
  /// The value as it is.
  public func string(_ key: Key) throws(WireError) -> String {
    try required(key, self[key])
  }

  /// A whole number within `range`.
  public func integer(
    _ key: Key, in range: ClosedRange<Int64> = .min ... .max
  ) throws(WireError) -> Int64 {
    try required(key, integer(ifPresent: key, in: range))
  }

  /// A whole number within `range`, or nil.
  public func integer(
    ifPresent key: Key, in range: ClosedRange<Int64> = .min ... .max
  ) throws(WireError) -> Int64? {
    guard let text = self[key] else { return nil }
    if let value = Decimal.integer(text), range.contains(value) { return value }
    let full = range == .min ... .max
    let bounds = full ? "" : " from \(range.lowerBound) to \(range.upperBound)"
    throw .badValue(key: key.rawValue, value: text, expected: "a whole number\(bounds)")
  }

  /// A whole number that is not negative: an identifier, a ticket, a count.
  public func unsigned(_ key: Key) throws(WireError) -> UInt64 {
    try required(key, unsigned(ifPresent: key))
  }

  /// A whole number that is not negative, or nil.
  public func unsigned(ifPresent key: Key) throws(WireError) -> UInt64? {
    guard let text = self[key] else { return nil }
    guard let value = Decimal.unsigned(text) else {
      throw .badValue(key: key.rawValue, value: text, expected: "a whole number, 0 or more")
    }
    return value
  }

  /// A number by which the daemon calls a line, a task, a notification or a session.
  func identifier(_ key: Key) throws(WireError) -> UInt64 {
    UInt64(try integer(key, in: 0...Int64(UInt32.max)))
  }

  /// A duration within `range`, both in nanoseconds, or nil.
  func nanoseconds(
    ifPresent key: Key, in range: ClosedRange<Int64>
  ) throws(WireError) -> Int64? {
    guard let value = try nanoseconds(ifPresent: key) else { return nil }
    guard range.contains(value) else {
      let bounds = (Seconds.text(nanoseconds: range.lowerBound), Seconds.text(nanoseconds: range.upperBound))
      throw .badValue(
        key: key.rawValue, value: self[key] ?? "", expected: "seconds from \(bounds.0) to \(bounds.1)")
    }
    return value
  }

  /// A duration, written in seconds with at most nine decimals, in nanoseconds.
  public func nanoseconds(_ key: Key) throws(WireError) -> Int64 {
    try required(key, nanoseconds(ifPresent: key))
  }

  /// A duration, written in seconds with at most nine decimals, in nanoseconds, or nil.
  public func nanoseconds(ifPresent key: Key) throws(WireError) -> Int64? {
    guard let text = self[key] else { return nil }
    guard let value = Seconds.nanoseconds(text) else {
      throw .badValue(
        key: key.rawValue, value: text, expected: "seconds, such as 600 or 0.25, at most nine decimals")
    }
    return value
  }

  /// A finite number.
  public func number(_ key: Key) throws(WireError) -> Double {
    try required(key, number(ifPresent: key))
  }

  /// A finite number, or nil.
  public func number(ifPresent key: Key) throws(WireError) -> Double? {
    guard let text = self[key] else { return nil }
    guard let value = Double(text), value.isFinite else {
      throw .badValue(key: key.rawValue, value: text, expected: "a number")
    }
    return value
  }

  /// Whether the flag is there, or its value; a missing field is false.
  public func flag(_ key: Key) throws(WireError) -> Bool {
    switch self[key] {
    case nil, "false": return false
    case "true": return true
    case let text?: throw .badValue(key: key.rawValue, value: text, expected: "true or false")
    }
  }

  /// The parts of a list.
  public func list(_ key: Key) throws(WireError) -> [String] {
    try required(key, list(ifPresent: key))
  }

  /// The parts of a list, or nil.
  public func list(ifPresent key: Key) throws(WireError) -> [String]? {
    guard let text = self[key] else { return nil }
    guard !text.isEmpty else { return [] }
    let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      throw .badValue(key: key.rawValue, value: text, expected: "a list such as one,two")
    }
    return parts.map { String(Substring($0)) }
  }

  /// A list of ports, each from 1 to 65535 and at most once, or nil.
  public func ports(ifPresent key: Key) throws(WireError) -> [UInt16]? {
    guard let parts = try list(ifPresent: key) else { return nil }
    var ports: [UInt16] = []
    for part in parts {
      guard let port = Decimal.unsigned(part).flatMap(UInt16.init(exactly:)), port > 0 else {
        throw .badValue(key: key.rawValue, value: part, expected: "ports from 1 to 65535, such as 5060,5061")
      }
      guard !ports.contains(port) else {
        throw .badValue(key: key.rawValue, value: parts.joined(separator: ","), expected: "each port once")
      }
      ports.append(port)
    }
    return ports
  }

  /// A word of an enumeration.
  public func word<Word>(_ key: Key, as type: Word.Type) throws(WireError) -> Word
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    try required(key, word(ifPresent: key, as: type))
  }

  /// A word of an enumeration, or nil.
  public func word<Word>(ifPresent key: Key, as type: Word.Type) throws(WireError) -> Word?
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    guard let text = self[key] else { return nil }
    return try Self.word(text, key, type)
  }

  /// A list of words of an enumeration, each at most once.
  public func words<Word>(_ key: Key, as type: Word.Type) throws(WireError) -> [Word]
  where Word: RawRepresentable & CaseIterable & Equatable, Word.RawValue == String {
    try required(key, words(ifPresent: key, as: type))
  }

  /// A list of words of an enumeration, each at most once, or nil.
  public func words<Word>(ifPresent key: Key, as type: Word.Type) throws(WireError) -> [Word]?
  where Word: RawRepresentable & CaseIterable & Equatable, Word.RawValue == String {
    guard let parts = try list(ifPresent: key) else { return nil }
    var words: [Word] = []
    for part in parts {
      let word = try Self.word(part, key, type)
      guard !words.contains(word) else {
        throw .badValue(key: key.rawValue, value: parts.joined(separator: ","), expected: "each word once")
      }
      words.append(word)
    }
    return words
  }

  private static func word<Word>(_ text: String, _ key: Key, _ type: Word.Type) throws(WireError) -> Word
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    if let word = Word(rawValue: text) { return word }
    let all = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw .badValue(key: key.rawValue, value: text, expected: "one of \(all)")
  }

  private func required<Value>(_ key: Key, _ value: Value?) throws(WireError) -> Value {
    guard let value else { throw .missingField(key.rawValue) }
    return value
  }
}
