struct Comments: Equatable {
  var tags = Tags()
  var gain = ReplayGain()
  /// The front cover, else the first picture, where pictures are kept.
  private(set) var picture: Picture?

  init() {}

  /// Reads names in capitals and their values; the first entry of a name counts.
  init(_ entries: [(name: String, value: String)]) {
    func value(_ name: String) -> String? {
      entries.first { $0.name == name && !$0.value.isEmpty }?.value
    }
    tags = Tags(
      title: value("TITLE"), artist: value("ARTIST"), album: value("ALBUM"), genre: value("GENRE"),
      trackNumber: value("TRACKNUMBER"))
    gain = ReplayGain(tag: value)
  }

  /// Reads the block that FLAC, Vorbis and Opus share (Vorbis I specification, 5); nil when it is no such
  /// block. Of a truncated block, the entries before its end count.
  init?(vorbis bytes: ArraySlice<UInt8>, keepsPictures: Bool = false) {
    var reader = ByteReader(bytes)
    guard let vendor = reader.little(), reader.take(vendor) != nil, let count = reader.little() else {
      return nil
    }
    var (entries, pictures): ([(name: String, value: String)], [Picture]) = ([], [])
    // The count may be forged: the bytes end it.
    for _ in 0..<count {
      guard let size = reader.little(), let entry = reader.take(size) else { break }
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: entry[..<equals], as: UTF8.self).uppercased()
      let value = entry[(equals + 1)...]
      if name != "METADATA_BLOCK_PICTURE" {
        entries.append((name, String(decoding: value, as: UTF8.self)))
      } else if keepsPictures, let block = Base64.decoded(value), let picture = Picture(block: block[...]) {
        pictures.append(picture)
      }
    }
    self.init(entries)
    for picture in pictures { add(picture) }
  }

  mutating func add(_ new: Picture?) {
    guard let new, picture == nil || new.isFront && picture?.isFront == false else { return }
    picture = new
  }
}

/// A picture that is embedded in a sound file, of a format that every desktop shows.
struct Picture: Equatable {
  static let largest = 1 << 24
  private static let marks: [(ending: String, bytes: [UInt8])] = [
    ("jpg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("gif", Array("GIF8".utf8)),
    ("webp", Array("RIFF".utf8)),
  ]

  let bytes: [UInt8]
  let ending: String
  /// True for the picture that stands for the whole.
  let isFront: Bool

  /// A picture of a kind of ID3v2 (4.14), whose numbers the other formats share.
  init?(_ bytes: some Collection<UInt8>, kind: Int) {
    guard bytes.count <= Self.largest, let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes) })
    else { return nil }
    (self.bytes, ending, isFront) = (Array(bytes), mark.ending, kind == 3)
  }

  /// Reads a picture block of FLAC, which other formats borrow (RFC 9639, 8.8).
  init?(block: ArraySlice<UInt8>) {
    var reader = ByteReader(block)
    guard let kind = reader.big(), let mime = reader.big(), reader.take(mime) != nil,
      let words = reader.big(), reader.take(words) != nil, reader.take(16) != nil,
      let count = reader.big(), let bytes = reader.take(count)
    else { return nil }
    self.init(bytes, kind: kind)
  }
}

struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// An integer of four bytes, the highest byte first.
  mutating func big() -> Int? { take(4)?.reduce(0) { $0 << 8 | Int($1) } }

  /// An integer of four bytes, the lowest byte first.
  mutating func little() -> Int? { take(4)?.reversed().reduce(0) { $0 << 8 | Int($1) } }
}

enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var values = [Int](repeating: -1, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = value }
    var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
    for letter in text where letter != UInt8(ascii: "=") {
      guard values[Int(letter)] >= 0 else { return nil }
      (bits, count) = ((bits << 6 | values[Int(letter)]) & 0xFFFF, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }
}
