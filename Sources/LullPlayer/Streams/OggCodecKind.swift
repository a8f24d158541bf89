/// The codec of a logical Ogg stream, by its first packet.
enum OggCodecKind {
  case vorbis, opus, flac

  /// Nil for anything else: video, pictures, text.
  init?(_ packet: UnsafeBufferPointer<UInt8>) {
    if unsafe packet.starts(with: "\u{1}vorbis".utf8) {
      self = .vorbis
    } else if unsafe packet.starts(with: "OpusHead".utf8) {
      self = .opus
    } else if unsafe packet.starts(with: "\u{7F}FLAC".utf8) {
      self = .flac
    } else {
      return nil
    }
  }

  /// The comments of a packet; nil when it is another packet.
  func comments(_ packet: UnsafeBufferPointer<UInt8>) -> Comments? {
    let head =
      switch self {
      case .vorbis: Array("\u{3}vorbis".utf8)
      case .opus: Array("OpusTags".utf8)
      case .flac: [4] as [UInt8]
      }
    // FLAC's block has a type, which may have the mark of the last block, and three bytes of length.
    let bytes = unsafe Array(packet)
    let isOurs = self == .flac ? bytes.first.map { $0 & 0x7F } == 4 : bytes.starts(with: head)
    guard isOurs else { return nil }
    return Comments(vorbis: bytes.dropFirst(self == .flac ? 4 : head.count))
  }
}
