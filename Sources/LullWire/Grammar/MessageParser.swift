/// Reads a text line byte by byte; the bytes are known to be UTF-8.
struct MessageParser {
  private static let verbBytes = "lower-case letters, digits and '-', then a space"

  private var position = 0

  mutating func message(_ line: Span<UInt8>) throws(WireError) -> Message {
    skipSpaces(line)
    guard position < line.count else { throw .malformed(reason: "the line is empty") }
    let verb = try word(line, "verb", isFirst: Grammar.isLower, isOther: Grammar.isVerbByte)
    try expectSeparator(line, after: verb, allowed: Self.verbBytes)
    var notice: String?
    if verb == AnswerVerb.event.rawValue {
      skipSpaces(line)
      guard position < line.count else { throw .malformed(reason: "event needs the name of a notice") }
      let name = try word(line, "notice", isFirst: Grammar.isLower, isOther: Grammar.isVerbByte)
      try expectSeparator(line, after: name, allowed: Self.verbBytes)
      notice = name
    }
    return Message(verb: verb, noticeName: notice, fields: try fields(line))
  }

  private mutating func fields(_ line: Span<UInt8>) throws(WireError) -> [Field] {
    var fields: [Field] = []
    skipSpaces(line)
    while position < line.count {
      let key = try word(line, "key", isFirst: Grammar.isLetter, isOther: Grammar.isKeyByte)
      guard !fields.contains(where: { $0.key == key }) else {
        throw .malformed(reason: "\(key) stands twice in the line")
      }
      guard fields.count < Limits.maximumFields else {
        throw .malformed(reason: "a line has at most \(Limits.maximumFields) fields")
      }
      fields.append(Field(parsedKey: key, value: try valueIfPresent(line, of: key)))
      skipSpaces(line)
    }
    return fields
  }

  private mutating func valueIfPresent(_ line: Span<UInt8>, of key: String) throws(WireError) -> String? {
    guard position < line.count, line[position] == Grammar.equals else {
      try expectSeparator(line, after: key, allowed: "letters, digits and '-', then = and a value")
      return nil
    }
    position += 1
    guard position < line.count, line[position] != Grammar.space else {
      throw .malformed(reason: "\(key) has no value: write \(key)=\"\" for an empty one")
    }
    let value = line[position] == Grammar.quote ? try quotedValue(line, of: key) : bareValue(line)
    guard position == line.count || line[position] == Grammar.space else {
      throw .malformed(reason: "the value of \(key) \(Self.unexpected(line[position])): write it in quotes")
    }
    return value
  }

  private mutating func bareValue(_ line: Span<UInt8>) -> String {
    let start = position
    while position < line.count, Grammar.isBare(line[position]) { position += 1 }
    return text(line, start..<position)
  }

  private mutating func quotedValue(_ line: Span<UInt8>, of key: String) throws(WireError) -> String {
    position += 1
    let start = position
    while position < line.count {
      let byte = line[position]
      if byte == Grammar.quote {
        position += 1
        return text(line, start..<position - 1)
      }
      if byte == Grammar.backslash { return try escapedValue(line, of: key, from: start) }
      guard !Grammar.isControl(byte) else {
        throw .malformed(reason: "the value of \(key) \(Self.unexpected(byte)): write it as \\u00XX")
      }
      position += 1
    }
    throw .malformed(reason: "the quotes of \(key) are not closed")
  }

  /// The rest of a quoted value from its first backslash on.
  private mutating func escapedValue(
    _ line: Span<UInt8>, of key: String, from start: Int
  ) throws(WireError) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count - start)
    for index in start..<position { bytes.append(line[index]) }
    while position < line.count {
      let byte = line[position]
      position += 1
      switch byte {
      case Grammar.quote:
        return String(decoding: bytes, as: UTF8.self)
      case Grammar.backslash:
        bytes.append(contentsOf: try escape(line, of: key))
      case _ where Grammar.isControl(byte):
        throw .malformed(reason: "the value of \(key) \(Self.unexpected(byte)): write it as \\u00XX")
      default:
        bytes.append(byte)
      }
    }
    throw .malformed(reason: "the quotes of \(key) are not closed")
  }

  /// The scalar of an escape; its backslash has been read.
  private mutating func escape(
    _ line: Span<UInt8>, of key: String
  ) throws(WireError) -> Unicode.Scalar.UTF8View {
    guard position < line.count else { throw .malformed(reason: "the quotes of \(key) are not closed") }
    let byte = line[position]
    position += 1
    switch byte {
    case Grammar.quote, Grammar.backslash: return Unicode.Scalar(byte).utf8
    case UInt8(ascii: "n"): return Unicode.Scalar(Grammar.lineFeed).utf8
    case UInt8(ascii: "r"): return Unicode.Scalar(Grammar.carriageReturn).utf8
    case UInt8(ascii: "t"): return Unicode.Scalar(Grammar.tab).utf8
    case UInt8(ascii: "u"): return try Unicode.Scalar(hexadecimal(line, of: key)).utf8
    default:
      throw .malformed(
        reason: "the value of \(key) has an unknown escape: only \\\" \\\\ \\n \\r \\t \\u00XX")
    }
  }

  private mutating func hexadecimal(_ line: Span<UInt8>, of key: String) throws(WireError) -> UInt8 {
    let digits = 4
    var value: UInt32 = 0
    guard line.count - position >= digits else { throw Self.badEscape(key) }
    for _ in 0..<digits {
      guard let digit = Grammar.hexadecimalValue(line[position]) else { throw Self.badEscape(key) }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    guard let byte = UInt8(exactly: value) else { throw Self.badEscape(key) }
    return byte
  }

  private mutating func word(
    _ line: Span<UInt8>, _ what: String, isFirst: (UInt8) -> Bool, isOther: (UInt8) -> Bool
  ) throws(WireError) -> String {
    let start = position
    guard isFirst(line[position]) else {
      let allowed = "it begins with a \(isFirst(UInt8(ascii: "A")) ? "letter" : "lower-case letter")"
      throw .malformed(reason: "a \(what) \(Self.unexpected(line[position])) at its start: \(allowed)")
    }
    while position < line.count, isOther(line[position]) { position += 1 }
    guard position - start <= Limits.maximumWord else {
      throw .malformed(reason: "a \(what) has at most \(Limits.maximumWord) bytes")
    }
    return text(line, start..<position)
  }

  private func expectSeparator(
    _ line: Span<UInt8>, after word: String, allowed: String
  ) throws(WireError) {
    guard position < line.count, line[position] != Grammar.space else { return }
    throw .malformed(reason: "\(word) \(Self.unexpected(line[position])) after it: it has \(allowed)")
  }

  private mutating func skipSpaces(_ line: Span<UInt8>) {
    while position < line.count, line[position] == Grammar.space { position += 1 }
  }

  /// Ranges end at ASCII bytes only, so each of them is UTF-8 like the whole.
  private func text(_ line: Span<UInt8>, _ range: Range<Int>) -> String {
    guard let utf8 = try? UTF8Span(validating: line.extracting(range)) else { return "" }
    return String(copying: utf8)
  }

  private static func unexpected(_ byte: UInt8) -> String {
    if Grammar.isControl(byte) { return "has a control character" }
    return byte < 0x80 ? "has a '\(Unicode.Scalar(byte))'" : "has a byte that is not ASCII"
  }

  private static func badEscape(_ key: String) -> WireError {
    .malformed(reason: "the value of \(key) has a bad escape: \\u00XX has four digits, at most 00FF")
  }
}

extension Message {
  /// Reads one text line, with or without its LF or CR LF.
  ///
  /// Throws `notUTF8`, `tooLong` or `malformed`; the grammar is in docs/PROTOCOL.md.
  package static func parse(
    _ line: Span<UInt8>, maximumLine: Int = Limits.maximumLine
  ) throws(WireError) -> Message {
    var end = line.count
    if end > 0, line[end - 1] == Grammar.lineFeed { end -= 1 }
    guard end < maximumLine else { throw .tooLong }
    if end > 0, line[end - 1] == Grammar.carriageReturn { end -= 1 }
    let content = line.extracting(0..<end)
    guard (try? UTF8Span(validating: content)) != nil else { throw .notUTF8 }
    var parser = MessageParser()
    return try parser.message(content)
  }

  package static func parse(_ line: ArraySlice<UInt8>) throws(WireError) -> Message {
    try parse(line.span)
  }

  package static func parse(_ line: String) throws(WireError) -> Message {
    try parse(Array(line.utf8)[...])
  }
}
