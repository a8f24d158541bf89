/// Paths as `file:` URLs (RFC 8089) and back.
package enum FileURL {
  /// The URL of a path: all bytes but unreserved characters and slashes are percent-encoded (RFC 3986, 2.1).
  package static func text(path: [UInt8]) -> String {
    "file://"
      + path.map { byte in
        let character = Character(Unicode.Scalar(byte))
        let isPlain = character.isASCII && (character.isLetter || character.isNumber)
        if isPlain || "/-._~".contains(character) { return String(character) }
        return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }.joined()
  }

  /// The path of a `file:` URL of this machine; nil for any other.
  package static func path(_ url: String) -> [UInt8]? {
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
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16),
        value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
