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

  private static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    page.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { value, _ in
        value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1
      }
    }
  }
}
