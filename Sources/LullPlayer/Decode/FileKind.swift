internal import LullSystem

/// The way in which a file is decoded, by its beginning.
enum FileKind: Equatable {
  case ogg
  /// MPEG audio behind so many bytes of tags (ID3v2).
  case mpeg(tags: Int64)
  /// libsndfile knows it, or nobody.
  case other

  private static let mostTags = 4
  /// Longer tags are passed over: libmpg123 would hold all of one in memory.
  private static let longestTags: Int64 = 1 << 24

  init(_ file: Int32) {
    var start: Int64 = 0
    self = .other
    for _ in 0..<Self.mostTags {
      let head = (try? Files.read(file, at: start, count: 10)) ?? []
      guard head.starts(with: "ID3".utf8), head.count == 10 else {
        self = Self.kind(head, behind: start)
        return
      }
      var size = ByteReader(head[6...])
      start += 10 + Int64(size.syncsafe() ?? 0)
    }
  }

  private static func kind(_ head: [UInt8], behind tags: Int64) -> FileKind {
    if head.starts(with: "OggS".utf8) { return .ogg }
    // Without a layer it is AAC.
    if head.count > 1, head[0] == 0xFF, head[1] & 0xE0 == 0xE0, head[1] & 6 != 0 { return .mpeg(tags: tags) }
    let isOther = ["fLaC", "RIFF", "FORM"].contains { head.starts(with: $0.utf8) }
    // Between a tag and the first frame there may be a gap.
    return tags > 0 && !isOther ? .mpeg(tags: tags) : .other
  }

  func open(_ file: DescriptorBox) throws(DecodeError) -> any FileSound {
    switch self {
    case .ogg: return try DecodedFile(OggFile(file.raw))
    case .mpeg(let tags):
      let isLong = tags > Self.longestTags
      return try DecodedFile(MP3Decoder.opening(file.raw, behind: tags, skipsTags: isLong))
    case .other: return try SndfileSound(file)
    }
  }
}
