/// Tags as the formats' specifications have them, byte by byte.
enum TagBytes {
  static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  static func littleEndian(_ number: Int) -> [UInt8] { bigEndian(number).reversed() }

  /// A block of Vorbis comments: the vendor, the number of entries, the entries.
  static func vorbis(_ entries: [String], count: Int? = nil) -> [UInt8] {
    littleEndian(4) + Array("test".utf8) + littleEndian(count ?? entries.count)
      + entries.flatMap { littleEndian($0.utf8.count) + Array($0.utf8) }
  }

  /// A picture block of FLAC.
  static func picture(_ kind: Int, _ data: [UInt8]) -> [UInt8] {
    let type = Array("image/png".utf8)
    return bigEndian(kind) + bigEndian(type.count) + type + bigEndian(0) + bigEndian(1) + bigEndian(1)
      + bigEndian(24) + bigEndian(0) + bigEndian(data.count) + data
  }

  /// A FLAC file's head: STREAMINFO and the blocks given.
  static func flac(_ blocks: [(type: UInt8, bytes: [UInt8])]) -> [UInt8] {
    var bytes = Array("fLaC".utf8) + [0] + bigEndian(34)[1...]
    // Blocks of 4096 frames, 44100 Hz, 2 channels, 16 bits.
    bytes += [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0] + [UInt8](repeating: 0, count: 20)
    for (index, block) in blocks.enumerated() {
      let isLast: UInt8 = index + 1 == blocks.count ? 0x80 : 0
      bytes += [block.type | isLast] + bigEndian(block.bytes.count)[1...] + block.bytes
    }
    return bytes
  }

  /// A frame of ID3v2.4; the sizes of the tests stand in seven bits.
  static func id3Frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + synchsafe(content.count) + [0, 0] + content
  }

  static func id3(_ frames: [[UInt8]]) -> [UInt8] {
    let body = Array(frames.joined())
    return Array("ID3".utf8) + [4, 0, 0] + synchsafe(body.count) + body
  }

  /// Silence: headers of MPEG 1 layer III, 128 kbit/s, 44100 Hz, each with a frame of zeros.
  static func mp3Frames(_ count: Int) -> [UInt8] { mp3Frames(count, head: 0x90, bytes: 417) }

  /// The same at 32 kbit/s.
  static func smallMP3Frames(_ count: Int) -> [UInt8] { mp3Frames(count, head: 0x10, bytes: 104) }

  private static func mp3Frames(_ count: Int, head: UInt8, bytes: Int) -> [UInt8] {
    let frame = [0xFF, 0xFB, head, 0x00] + [UInt8](repeating: 0, count: bytes - 4)
    return Array(repeatElement(frame, count: count).joined())
  }

  /// The tag behind an MP3 file.
  static func id3v1(title: String, artist: String, album: String, genre: UInt8) -> [UInt8] {
    func field(_ text: String, _ count: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }
    return Array("TAG".utf8) + field(title, 30) + field(artist, 30) + field(album, 30) + field("1999", 4)
      + field("", 30) + [genre]
  }

  private static func synchsafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }
}

/// Pages of Ogg (RFC 3533) with one packet each.
enum OggBytes {
  static func page(
    _ packet: [UInt8], serial: Int = 1, number: Int, granule: Int = 0, isFirst: Bool = false,
    isLast: Bool = false, isContinued: Bool = false, goesOn: Bool = false
  ) -> [UInt8] {
    let flags: UInt8 = (isContinued ? 1 : 0) | (isFirst ? 2 : 0) | (isLast ? 4 : 0)
    var lacing = [UInt8](repeating: 255, count: packet.count / 255)
    if !goesOn { lacing.append(UInt8(packet.count % 255)) }
    var bytes = Array("OggS".utf8) + [0, flags] + TagBytes.littleEndian(granule) + [0, 0, 0, 0]
    bytes += TagBytes.littleEndian(serial) + TagBytes.littleEndian(number) + [0, 0, 0, 0]
    bytes += [UInt8(lacing.count)] + lacing + packet
    bytes.replaceSubrange(22..<26, with: TagBytes.littleEndian(Int(checksum(bytes))))
    return bytes
  }

  /// CRC-32 with the polynomial 04C11DB7, from zero, without reflection.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0) { sum, byte in
      var sum = sum ^ UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
      return sum
    }
  }
}
