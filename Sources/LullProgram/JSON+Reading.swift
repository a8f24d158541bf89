extension JSON {
  /// Reads a text of RFC 8259. Nil for any other text, and for values that are nested deeper than 64.
  package init?(reading text: String) {
    var reader = JSONReader(rest: Array(text.utf8)[...])
    guard let value = reader.value(), reader.isAtEnd else { return nil }
    self = value
  }

  /// The member of an object; `null` where there is none, and for any other value.
  package subscript(_ key: String) -> JSON { members.first { $0.0 == key }?.1 ?? .null }

  /// Those of an object; none for any other value.
  package var members: [(String, JSON)] { if case .object(let members) = self { members } else { [] } }

  /// Those of an array; none for any other value.
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// Nil where the value is no string.
  package var words: String? { if case .string(let words) = self { words } else { nil } }

  /// Nil where the value is no whole number.
  package var whole: Int? { if case .integer(let whole) = self { whole } else { nil } }
}

private struct JSONReader {
  private static let deepest = 64

  var rest: ArraySlice<UInt8>
  private var depth = 0

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return rest.isEmpty
    }
  }

  mutating func value() -> JSON? {
    skipBlanks()
    switch rest.first {
    case UInt8(ascii: "{"):
      var members: [(String, JSON)] = []
      let isRead = list(until: "}") { reader in
        guard let key = reader.string(), reader.take(":"), let value = reader.value() else { return false }
        members.append((key, value))
        return true
      }
      return isRead ? .object(members) : nil
    case UInt8(ascii: "["):
      var elements: [JSON] = []
      let isRead = list(until: "]") { reader in
        guard let value = reader.value() else { return false }
        elements.append(value)
        return true
      }
      return isRead ? .array(elements) : nil
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default: return scalar()
    }
  }

  private mutating func list(until end: Unicode.Scalar, _ read: (inout JSONReader) -> Bool) -> Bool {
    rest.removeFirst()
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { return false }
    if take(end) { return true }
    repeat {
      skipBlanks()
      guard read(&self) else { return false }
    } while take(",")
    return take(end)
  }

  private mutating func scalar() -> JSON? {
    let word = rest.prefix { !",]} \t\r\n".utf8.contains($0) }
    rest = rest[word.endIndex...]
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      guard let first = word.first, let last = word.last, first == UInt8(ascii: "-") || isDigit(first),
        isDigit(last), word.allSatisfy({ isDigit($0) || "+-.eE".utf8.contains($0) })
      else { return nil }
      return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func string() -> String? {
    guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        bytes += Array(String(Character(scalar)).utf8)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = rest.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let first = digits() else { return nil }
      guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
      // The second half of a pair of UTF-16.
      guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
        let second = digits(), (0xDC00..<0xE000).contains(second)
      else { return nil }
      return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    default: return nil
    }
  }

  private mutating func digits() -> UInt32? {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    guard digits.count == 4 else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipBlanks() { rest = rest.drop { " \t\r\n".utf8.contains($0) } }
}
