/// The location of an item's sound: a file of this machine, whose path is bytes as in the kernel, or a URL.
public enum MediaLocation: Hashable, Sendable {
  /// An absolute path; its bytes need not be UTF-8.
  case file([UInt8])
  /// A stream: `http:` or `https:`.
  case stream(String)

  /// A file by its path.
  public init(path: String) { self = .file(Array(path.utf8)) }

  /// Reads the form of ``text``: an absolute path, a `file:` URL of this machine, or the URL of a stream; nil
  /// for anything else.
  public init?(text: String) {
    if text.hasPrefix("/") {
      self.init(path: text)
    } else if let path = FileURL.path(text) {
      self = .file(path)
    } else if MediaLocation.isStream(text) {
      self = .stream(text)
    } else {
      return nil
    }
  }

  /// One text line for the location: the path, where it is UTF-8; else the ``url``.
  public var text: String {
    if case .file(let path) = self, let text = String(validating: path, as: UTF8.self) { text } else { url }
  }

  /// The URL: `file:` for a file (RFC 8089).
  public var url: String {
    switch self {
    case .file(let path): FileURL.text(path: path)
    case .stream(let url): url
    }
  }

  package var path: [UInt8]? { if case .file(let path) = self { path } else { nil } }

  /// The path's last part, for people (bytes that are not UTF-8 become U+FFFD), or the stream's URL.
  package var name: String {
    guard let path else { return url }
    return String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? path[...], as: UTF8.self)
  }

  /// True when a text is the URL of a stream, which must have a host (RFC 9110, 4.2).
  static func isStream(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) })
    else { return false }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return !host.isEmpty && host.first != ":"
  }
}

/// Paths as `file:` URLs (RFC 8089) and back.
package enum FileURL {
  /// All bytes but unreserved characters and slashes are percent-encoded (RFC 3986, 2.1).
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
    guard let head = ["file://localhost/", "file:///"].first(where: url.hasPrefix) else { return nil }
    var bytes = [UInt8(ascii: "/")]
    var rest = url.utf8.dropFirst(head.utf8.count)
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
