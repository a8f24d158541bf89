internal import LullWire

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
  subscript(name: String) -> String? { fields.last { $0.name == name && !$0.value.isEmpty }?.value }

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

/// Takes the titles out of a radio's bytes: after every `interval` bytes of sound comes one byte that counts
/// blocks of sixteen, and then the text.
struct IcyReader {
  private enum State {
    case sound(left: Int)
    case length
    case text(left: Int)
  }

  private let interval: Int
  private var state: State
  private var text: [UInt8] = []
  /// The station's title of the current piece; nil before the first, empty when the station clears it.
  private(set) var title: String?

  init(interval: Int) {
    self.interval = interval
    state = .sound(left: interval)
  }

  mutating func sound(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var sound: [UInt8] = []
    var rest = bytes
    while !rest.isEmpty {
      switch state {
      case .sound(let left):
        let part = rest.prefix(left)
        sound += part
        rest = rest.dropFirst(part.count)
        state = part.count == left ? .length : .sound(left: left - part.count)
      case .length:
        let count = Int(rest.removeFirst()) * 16
        state = count == 0 ? .sound(left: interval) : .text(left: count)
      case .text(let left):
        let part = rest.prefix(left)
        text += part
        rest = rest.dropFirst(part.count)
        state = .text(left: left - part.count)
        guard part.count == left else { continue }
        title = Self.title(in: StreamText.decoded(text[...])) ?? title
        (text, state) = ([], .sound(left: interval))
      }
    }
    return sound
  }

  /// `StreamTitle='...';`: a title may have quotes and semicolons of its own.
  static func title(in text: String) -> String? {
    guard let start = text.place(of: "StreamTitle='") else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.place(of: "';") ?? rest.place(of: "'\0") else { return nil }
    return StreamText.trimmed(String(rest[..<end.lowerBound]))
  }

  /// The tags of a title: most stations send the artist and the title with a dash between them.
  static func tags(_ title: String) -> Tags {
    guard let dash = title.place(of: " - ") else { return Tags(title: title.isEmpty ? nil : title) }
    let (artist, name) = (String(title[..<dash.lowerBound]), String(title[dash.upperBound...]))
    return artist.isEmpty || name.isEmpty ? Tags(title: title) : Tags(title: name, artist: artist)
  }
}
