/// Pages of an Ogg file with forged numbers and right checksums (RFC 3533, 6).
enum OggForgery {
  /// The file with this granule position in its last page.
  static func withLastPosition(_ position: Int64, _ file: [UInt8]) -> [UInt8] {
    var file = file
    let mark = Array("OggS".utf8)
    guard let start = file.indices.dropLast(27).last(where: { Array(file[$0..<($0 + 4)]) == mark }) else {
      return file
    }
    for place in 0..<8 { file[start + 6 + place] = UInt8(truncatingIfNeeded: position >> (8 * place)) }
    for place in 22..<26 { file[start + place] = 0 }
    let sum = checksum(file[start...])
    for place in 0..<4 { file[start + 22 + place] = UInt8(truncatingIfNeeded: sum >> (8 * place)) }
    return file
  }

  /// The Ogg file with the blocks of a FLAC file (RFC 9639, 10.1), which all have so many frames.
  static func withFlac(_ file: [UInt8], blockFrames: Int, tags: [String]) -> [UInt8] {
    var place = 4
    var isLast = false
    while !isLast {
      isLast = file[place] & 0x80 != 0
      place += 4 + file[(place + 1)..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let blocks = flacBlocks(file[place...])
    let comment = TagBytes.vorbis(tags)
    var head: [UInt8] = Array("\u{7F}FLAC\u{1}\0\0\u{1}".utf8)
    head += file[..<42]
    // STREAMINFO is not the last block.
    head[13] = 0
    var comments: [UInt8] = [0x84]
    comments += TagBytes.bigEndian(comment.count)[1...]
    comments += comment
    var bytes = OggBytes.page(head, number: 0, isFirst: true)
    bytes += OggBytes.page(comments, number: 1)
    for (number, block) in blocks.enumerated() {
      bytes += OggBytes.page(
        Array(block), number: number + 2, granule: (number + 1) * blockFrames,
        isLast: number + 1 == blocks.count)
    }
    return bytes
  }

  /// Each block begins as the first one does, and has its number two bytes further (RFC 9639, 9.1).
  private static func flacBlocks(_ sound: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let mark = Array(sound.prefix(3))
    var starts: [Int] = []
    for place in sound.indices.dropLast(4)
    where sound[place] == 0xFF && sound[place + 4] == UInt8(starts.count & 0x7F)
      && sound[place..<(place + 3)].elementsEqual(mark)
    {
      starts.append(place)
    }
    return zip(starts, starts.dropFirst() + [sound.endIndex]).map { sound[$0..<$1] }
  }

  private static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    page.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { value, _ in
        value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1
      }
    }
  }
}
