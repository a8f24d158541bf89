/// Paths as `file:` URLs (RFC 8089) and back.
public enum FileURL {
  /// The URL of a path: all bytes but unreserved characters and slashes are percent-encoded (RFC 3986, 2.1).
  public static func text(path: [UInt8]) -> String {
    var result = "file://"
    for byte in path {
      if isPlain(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  /// The path of a `file:` URL of this machine; nil for any other.
  public static func path(_ url: String) -> [UInt8]? {
    for prefix in ["file://localhost/", "file:///"] where url.hasPrefix(prefix) {
      return decoded("/" + url.dropFirst(prefix.count))
    }
    return nil
  }

  private static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy(isHexadecimal),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/-._~".utf8.contains(byte)
    }
  }
}
