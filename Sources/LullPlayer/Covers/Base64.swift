/// Base64 (RFC 4648, 4).
enum Base64 {
  /// The decoded bytes; nil when the text is no Base64.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in text where byte != UInt8(ascii: "=") {
      guard let value = value(byte) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }

  private static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
