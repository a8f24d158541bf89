/// The classes of bytes of docs/PROTOCOL.md.
enum Grammar {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let tab = UInt8(ascii: "\t")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let equals = UInt8(ascii: "=")

  static func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
  static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// Whether the byte can stand in a value without quotes.
  static func isBare(_ byte: UInt8) -> Bool {
    byte > space && byte != quote && byte != equals && byte != backslash && byte != 0x7F
  }

  static func isLetter(_ byte: UInt8) -> Bool { isLower(byte) || isUpper(byte) }

  /// A byte of a verb after the first.
  static func isVerbByte(_ byte: UInt8) -> Bool {
    isLower(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
  }

  /// A byte of a key after the first.
  static func isKeyByte(_ byte: UInt8) -> Bool { isVerbByte(byte) || isUpper(byte) }

  static func isVerb(_ word: String) -> Bool {
    isWord(word, isFirst: isLower, isOther: isVerbByte)
  }

  static func isKey(_ word: String) -> Bool {
    isWord(word, isFirst: isLetter, isOther: isKeyByte)
  }

  static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func isWord(
    _ word: String, isFirst: (UInt8) -> Bool, isOther: (UInt8) -> Bool
  ) -> Bool {
    guard let first = word.utf8.first, isFirst(first) else { return false }
    return word.utf8.count <= Limits.maximumWord && word.utf8.allSatisfy(isOther)
  }
}

extension Span<UInt8> {
  func firstLineFeed(from start: Int) -> Int? {
    for index in start..<count where self[index] == Grammar.lineFeed { return index }
    return nil
  }
}
