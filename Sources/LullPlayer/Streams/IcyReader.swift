/// Takes the titles out of a radio's bytes: after every `interval` bytes of sound comes one byte that counts
/// blocks of sixteen, and then the text.
struct IcyReader {
  private enum Stage {
    case sound(left: Int)
    case length
    case text(left: Int)
  }

  private let interval: Int
  private var stage: Stage
  private var text: [UInt8] = []
  /// The station's title of the current piece; nil before the first, empty when the station clears it.
  private(set) var title: String?

  init(interval: Int) {
    self.interval = interval
    stage = .sound(left: interval)
  }

  mutating func sound(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var sound: [UInt8] = []
    var rest = bytes
    while !rest.isEmpty {
      switch stage {
      case .sound(let left):
        let part = rest.prefix(left)
        sound += part
        rest = rest.dropFirst(part.count)
        stage = part.count == left ? .length : .sound(left: left - part.count)
      case .length:
        let count = Int(rest.removeFirst()) * 16
        stage = count == 0 ? .sound(left: interval) : .text(left: count)
      case .text(let left):
        let part = rest.prefix(left)
        text += part
        rest = rest.dropFirst(part.count)
        stage = .text(left: left - part.count)
        guard part.count == left else { continue }
        title = Self.title(in: StreamText.decoded(text[...])) ?? title
        (text, stage) = ([], .sound(left: interval))
      }
    }
    return sound
  }

  /// `StreamTitle='...';`: a title may have quotes and semicolons of its own.
  static func title(in text: String) -> String? {
    guard let start = text.firstRange(of: "StreamTitle='") else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.firstRange(of: "';") ?? rest.firstRange(of: "'\0") else { return nil }
    return StreamText.trimmed(String(rest[..<end.lowerBound]))
  }

  /// The tags of a title: most stations send the artist and the title with a dash between them.
  static func tags(_ title: String) -> Tags {
    guard let dash = title.firstRange(of: " - ") else { return Tags(title: title.isEmpty ? nil : title) }
    let (artist, name) = (String(title[..<dash.lowerBound]), String(title[dash.upperBound...]))
    return artist.isEmpty || name.isEmpty ? Tags(title: title) : Tags(title: name, artist: artist)
  }
}
