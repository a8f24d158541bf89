/// The readers of a field's value. The plain ones throw `missingField`, those with `ifPresent:` return nil.
extension Message {
  package func string(_ key: Key) throws(WireError) -> String {
    try required(key, self[key])
  }

  package func integer(
    _ key: Key, in range: ClosedRange<Int64> = .min ... .max
  ) throws(WireError) -> Int64 {
    try required(key, integer(ifPresent: key, in: range))
  }

  package func integer(
    ifPresent key: Key, in range: ClosedRange<Int64> = .min ... .max
  ) throws(WireError) -> Int64? {
    guard let text = self[key] else { return nil }
    if let value = Decimal.integer(text), range.contains(value) { return value }
    let full = range == .min ... .max
    let bounds = full ? "" : " from \(range.lowerBound) to \(range.upperBound)"
    throw .badValue(key: key.rawValue, value: text, expected: "a whole number\(bounds)")
  }

  package func unsigned(_ key: Key) throws(WireError) -> UInt64 {
    try required(key, unsigned(ifPresent: key))
  }

  package func unsigned(ifPresent key: Key) throws(WireError) -> UInt64? {
    guard let text = self[key] else { return nil }
    guard let value = Decimal.unsigned(text) else {
      throw .badValue(key: key.rawValue, value: text, expected: "a whole number, 0 or more")
    }
    return value
  }

  package func identifier<ID: NumberedID>(_ key: Key) throws(WireError) -> ID {
    try required(key, identifier(ifPresent: key))
  }

  package func identifier<ID: NumberedID>(ifPresent key: Key) throws(WireError) -> ID? {
    try integer(ifPresent: key, in: 0...Int64(UInt32.max)).map { ID(UInt32($0)) }
  }

  func interval(ifPresent key: Key, in range: ClosedRange<Interval>) throws(WireError) -> Interval? {
    guard let value = try interval(ifPresent: key) else { return nil }
    guard range.contains(value) else {
      throw .badValue(key: key.rawValue, value: self[key] ?? "", expected: Seconds.range(range))
    }
    return value
  }

  /// A duration, written in seconds with at most nine decimals.
  package func interval(_ key: Key) throws(WireError) -> Interval {
    try required(key, interval(ifPresent: key))
  }

  package func interval(ifPresent key: Key) throws(WireError) -> Interval? {
    guard let text = self[key] else { return nil }
    guard let value = Seconds.interval(text) else {
      throw .badValue(
        key: key.rawValue, value: text, expected: "seconds, such as 600 or 0.25, at most nine decimals")
    }
    return value
  }

  package func number(_ key: Key) throws(WireError) -> Double {
    try required(key, number(ifPresent: key))
  }

  package func number(ifPresent key: Key) throws(WireError) -> Double? {
    guard let text = self[key] else { return nil }
    guard let value = Double(text), value.isFinite else {
      throw .badValue(key: key.rawValue, value: text, expected: "a number")
    }
    return value
  }

  /// The value of a flag: true for a bare key, false when the field is missing.
  package func flag(_ key: Key) throws(WireError) -> Bool {
    switch self[key] {
    case nil, "false": return false
    case "true": return true
    case let text?: throw .badValue(key: key.rawValue, value: text, expected: "true or false")
    }
  }

  package func list(_ key: Key) throws(WireError) -> [String] {
    try required(key, list(ifPresent: key))
  }

  package func list(ifPresent key: Key) throws(WireError) -> [String]? {
    guard let text = self[key] else { return nil }
    guard !text.isEmpty else { return [] }
    let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      throw .badValue(key: key.rawValue, value: text, expected: "a list such as one,two")
    }
    return parts.map { String(Substring($0)) }
  }

  /// Ports from 1 to 65535, each at most once.
  package func ports(ifPresent key: Key) throws(WireError) -> [UInt16]? {
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

  package func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: Key, as type: Word.Type
  ) throws(WireError) -> Word {
    try required(key, word(ifPresent: key, as: type))
  }

  package func word<Word: RawRepresentable<String> & CaseIterable>(
    ifPresent key: Key, as type: Word.Type
  ) throws(WireError) -> Word? {
    guard let text = self[key] else { return nil }
    if let word = Word(rawValue: text) { return word }
    throw badWord(text, key, among: Word.allCases.map(\.rawValue))
  }

  func word<Word: RawRepresentable<String>>(
    ifPresent key: Key, among words: [Word]
  ) throws(WireError) -> Word? {
    guard let text = self[key] else { return nil }
    if let word = words.first(where: { $0.rawValue == text }) { return word }
    throw badWord(text, key, among: words.map(\.rawValue))
  }

  /// A set of words, each at most once.
  func words<Words: WordSet>(ifPresent key: Key, as type: Words.Type) throws(WireError) -> Words? {
    guard let parts = try list(ifPresent: key) else { return nil }
    var words: Words = []
    for part in parts {
      guard let member = Words(word: part) else { throw badWord(part, key, among: Words.words) }
      guard words.isDisjoint(with: member) else {
        throw .badValue(key: key.rawValue, value: parts.joined(separator: ","), expected: "each word once")
      }
      words.formUnion(member)
    }
    return words
  }

  private func badWord(_ text: String, _ key: Key, among words: [String]) -> WireError {
    .badValue(key: key.rawValue, value: text, expected: "one of \(words.joined(separator: ", "))")
  }

  private func required<Value>(_ key: Key, _ value: Value?) throws(WireError) -> Value {
    guard let value else { throw .missingField(key.rawValue) }
    return value
  }
}
