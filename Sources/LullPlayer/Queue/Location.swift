/// The location of an item's sound: a file of this machine, whose path is bytes as in the kernel, or a URL.
public enum Location: Hashable, Sendable {
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
    } else if Location.isStream(text) {
      self = .stream(text)
    } else {
      return nil
    }
  }

  /// One text line for the location: the path, where it is UTF-8; else its `file:` URL; or the stream's URL.
  public var text: String {
    switch self {
    case .file(let path): String(validating: path, as: UTF8.self) ?? FileURL.text(path: path)
    case .stream(let url): url
    }
  }

  /// The URL: `file:` for a file (RFC 8089).
  public var url: String {
    switch self {
    case .file(let path): FileURL.text(path: path)
    case .stream(let url): url
    }
  }

  /// The path's bytes; nil for a stream.
  public var path: [UInt8]? {
    if case .file(let path) = self { path } else { nil }
  }

  /// The path's last part, for people (bytes that are not UTF-8 become U+FFFD), or the stream's URL.
  public var name: String {
    switch self {
    case .file(let path):
      String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? path[...], as: UTF8.self)
    case .stream(let url): url
    }
  }

  /// True when a text is the URL of a stream, which must have a host (RFC 9110, 4.2).
  public static func isStream(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) })
    else { return false }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return !host.isEmpty && host.first != ":"
  }
}
