internal import LullSystem

/// Where the sound of an item stands: a file of this machine, whose path is bytes as the kernel has it, or a
/// URL.
public enum Location: Hashable, Sendable {
  /// An absolute path; its bytes need not be UTF-8.
  case file([UInt8])
  /// A stream: `http:` or `https:`.
  case stream(String)

  /// A file by its path.
  public init(path: String) { self = .file(Array(path.utf8)) }

  /// Reads what ``text`` wrote: an absolute path, a `file:` URL of this machine, or the URL of a stream; nil
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

  /// One line of text that stands for it: the path, where it is UTF-8; else its `file:` URL; or the stream's
  /// URL.
  public var text: String {
    switch self {
    case .file(let path): String(validating: path, as: UTF8.self) ?? FileURL.text(path: path)
    case .stream(let url): url
    }
  }

  /// A URL: `file:` for a file (RFC 8089).
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

  /// The last part, for people: bytes that are not UTF-8 become U+FFFD.
  public var name: String {
    switch self {
    case .file(let path):
      String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? path[...], as: UTF8.self)
    case .stream(let url): url
    }
  }

  /// Whether a text is the URL of a stream: without a host it is none (RFC 9110, 4.2).
  public static func isStream(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) })
    else { return false }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return !host.isEmpty && host.first != ":"
  }
}
