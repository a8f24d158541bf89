extension Message {
  /// Throws `tooLong` when the line has more than ``Limits/maximumLine`` bytes.
  package func encoded() throws(WireError) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(into: &bytes)
    return bytes
  }

  /// Adds nothing when it throws: `tooLong` for a line of more than ``Limits/maximumLine`` bytes.
  package func encode(into bytes: inout [UInt8]) throws(WireError) {
    let start = bytes.count
    write(to: &bytes)
    guard bytes.count - start <= Limits.maximumLine else {
      bytes.removeSubrange(start...)
      throw .tooLong
    }
  }

  /// While the line has more than `maximumLine` bytes, the end of its longest value is replaced by `...`, so
  /// that a reply is always sent.
  package func encodeTruncating(into bytes: inout [UInt8], maximumLine: Int = Limits.maximumLine) {
    let start = bytes.count
    write(to: &bytes)
    let excess = bytes.count - start - maximumLine
    guard excess > 0 else { return }
    bytes.removeSubrange(start...)
    shortened(by: excess).encodeTruncating(into: &bytes, maximumLine: maximumLine)
  }

  /// The longest value loses at least `excess` bytes, or becomes `...`. A message whose values are all `...`
  /// fits into a text line, so every message becomes short enough.
  private func shortened(by excess: Int) -> Message {
    let lengths = fields.map { ValueEncoding.length($0.value ?? "") }
    let longest = lengths.indices.max { lengths[$0] < lengths[$1] } ?? 0
    let room = max(0, lengths[longest] - excess - ValueEncoding.ellipsis.utf8.count)
    let beginning = ValueEncoding.prefix(fields[longest].value ?? "", maximumLength: room)
    return adding(Field(parsedKey: fields[longest].key, value: beginning + ValueEncoding.ellipsis))
  }

  private func write(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: verb.utf8)
    if let noticeName {
      bytes.append(Grammar.space)
      bytes.append(contentsOf: noticeName.utf8)
    }
    for field in fields {
      bytes.append(Grammar.space)
      bytes.append(contentsOf: field.key.utf8)
      guard let value = field.value else { continue }
      bytes.append(Grammar.equals)
      ValueEncoding.write(value, to: &bytes)
    }
    bytes.append(Grammar.lineFeed)
  }
}

/// The writing of values: bare where the grammar allows it, else in quotes with escapes.
enum ValueEncoding {
  static let ellipsis = "..."

  static func write(_ value: String, to bytes: inout [UInt8]) {
    guard !isBare(value) else { return bytes.append(contentsOf: value.utf8) }
    bytes.append(Grammar.quote)
    for byte in value.utf8 { writeQuoted(byte, to: &bytes) }
    bytes.append(Grammar.quote)
  }

  /// In bytes, quotes and escapes counted.
  static func length(_ value: String) -> Int {
    isBare(value) ? value.utf8.count : value.utf8.reduce(2) { $0 + quotedLength($1) }
  }

  /// The longest beginning that takes at most `maximumLength` bytes in quotes and ends between two scalars.
  static func prefix(_ value: String, maximumLength: Int) -> String {
    var length = 2
    var count = 0
    for byte in value.utf8 {
      length += quotedLength(byte)
      guard length <= maximumLength else { break }
      count += 1
    }
    return String(value.prefix(maximumBytes: count))
  }

  private static func isBare(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.allSatisfy(Grammar.isBare)
  }

  private static func writeQuoted(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case Grammar.quote, Grammar.backslash:
      bytes.append(Grammar.backslash)
      bytes.append(byte)
    case Grammar.lineFeed: bytes.append(contentsOf: "\\n".utf8)
    case Grammar.carriageReturn: bytes.append(contentsOf: "\\r".utf8)
    case Grammar.tab: bytes.append(contentsOf: "\\t".utf8)
    case _ where Grammar.isControl(byte):
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(Grammar.hexadecimalDigit(byte >> 4))
      bytes.append(Grammar.hexadecimalDigit(byte & 0xF))
    default: bytes.append(byte)
    }
  }

  private static func quotedLength(_ byte: UInt8) -> Int {
    switch byte {
    case Grammar.quote, Grammar.backslash, Grammar.lineFeed, Grammar.carriageReturn, Grammar.tab: 2
    case _ where Grammar.isControl(byte): 6
    default: 1
    }
  }
}
