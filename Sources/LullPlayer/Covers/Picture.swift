/// A picture that is embedded in a sound file.
struct Picture: Equatable {
  /// The largest picture, in bytes.
  static let largest = 1 << 24
  /// The kind of picture that stands for the whole (ID3v2, 4.14).
  private static let frontCover = 3

  /// The image file.
  let bytes: [UInt8]
  private let kind: Int

  init(_ bytes: ArraySlice<UInt8>, kind: Int) { (self.bytes, self.kind) = (Array(bytes), kind) }

  /// The ending of the image file's name; nil for a format that not every desktop shows.
  var ending: String? {
    let marks: [(String, [UInt8])] = [
      ("jpg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("gif", Array("GIF8".utf8)),
      ("webp", Array("RIFF".utf8)),
    ]
    return marks.first { bytes.starts(with: $0.1) }?.0
  }

  /// The picture of a file: its front cover, else the first; nil when it has none.
  static func embedded(in path: [UInt8]) -> Picture? {
    guard let file = FileWindow(path), let mark = file.bytes(at: 0, count: 10) else { return nil }
    let tag = ID3Tag(file, mark)
    var pictures = tag?.pictures ?? []
    let start = tag?.end ?? 0
    switch file.bytes(at: start, count: 4) {
    case Array("fLaC".utf8): pictures += FlacPictures.find(file, at: start + 4)
    case Array("OggS".utf8): pictures += OggPictures.find(file, at: start)
    default: break
    }
    let shown = pictures.filter { $0.ending != nil }
    return shown.first { $0.kind == frontCover } ?? shown.first
  }
}

/// Pictures of FLAC files, and of formats that borrow their form (RFC 9639, 8.8).
enum FlacPictures {
  private static let pictureBlock = 6
  private static let mostBlocks = 256

  static func find(_ file: FileWindow, at start: Int) -> [Picture] {
    var pictures: [Picture] = []
    var place = start
    for _ in 0..<mostBlocks {
      guard let head = file.bytes(at: place, count: 4) else { break }
      let count = Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])
      if head[0] & 0x7F == pictureBlock, let block = file.bytes(at: place + 4, count: count) {
        if let picture = read(block[...]) { pictures.append(picture) }
      }
      if head[0] & 0x80 != 0 { break }
      place += 4 + count
    }
    return pictures
  }

  static func read(_ block: ArraySlice<UInt8>) -> Picture? {
    var reader = ByteReader(block)
    guard let kind = reader.big(), let mime = reader.big(), reader.take(mime) != nil,
      let words = reader.big(), reader.take(words) != nil, reader.take(16) != nil,
      let count = reader.big(), let bytes = reader.take(count)
    else { return nil }
    return Picture(bytes, kind: kind)
  }
}
