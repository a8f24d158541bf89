struct HTTPResponse {
  private(set) var status = 0
  private var fields: [(name: String, value: String)] = []

  /// Takes a text line; a status line begins a new head, as after a redirection.
  mutating func take(_ line: String) {
    let line = StreamText.trimmed(line)
    if line.hasPrefix("HTTP/") || line.hasPrefix("ICY ") {
      fields = []
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    } else if let colon = line.firstIndex(of: ":"), fields.count < 100 {
      let value = StreamText.trimmed(String(line[line.index(after: colon)...]))
      fields.append((line[..<colon].lowercased(), value))
    }
  }

  /// The value of a field; nil when it is missing or empty.
  subscript(name: String) -> String? {
    fields.last { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The length of the whole in bytes; nil when the server does not tell, as for a radio.
  var length: Int64? {
    guard status == 206 else { return self["content-length"].flatMap { Int64($0) } }
    return self["content-range"]?.split(separator: "/").last.flatMap { Int64($0) }
  }

  /// The kind of the bytes, in small letters, without parameters.
  var contentType: String {
    let value = self["content-type"]?.split(separator: ";").first.map { String($0) } ?? ""
    return StreamText.trimmed(value).lowercased()
  }

  /// Bytes of sound between two pieces of ICY metadata.
  var metadataInterval: Int? { self["icy-metaint"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

  var bitRate: Int? {
    let value = self["icy-br"]?.split(separator: ",").first.flatMap { Int($0) }
    return value.flatMap { (1...100_000).contains($0) ? $0 * 1000 : nil }
  }

  /// True for a radio: there is no known end, and no byte can be requested again.
  var isLive: Bool { length == nil || self["icy-name"] != nil || self["icy-br"] != nil }
}

/// Text from servers: UTF-8, or else Latin-1.
enum StreamText {
  static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  static func trimmed(_ text: String) -> String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\0" }
    return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
