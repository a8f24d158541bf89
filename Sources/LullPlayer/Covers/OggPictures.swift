/// Pictures among the comments of an Ogg file (RFC 7845, 5.2; Vorbis I, 5).
enum OggPictures {
  private static let key = Array("METADATA_BLOCK_PICTURE=".utf8)

  static func find(_ file: FileWindow, at start: Int) -> [Picture] {
    guard let packet = secondPacket(file, at: start) else { return [] }
    for mark in [Array("OpusTags".utf8), [3] + Array("vorbis".utf8)] where packet.starts(with: mark) {
      return comments(packet.dropFirst(mark.count)).compactMap { comment in
        guard hasKey(comment) else { return nil }
        return Base64.decoded(comment.dropFirst(key.count)).flatMap { FlacPictures.read($0[...]) }
      }
    }
    return []
  }

  private static func hasKey(_ comment: ArraySlice<UInt8>) -> Bool {
    comment.count > key.count
      && zip(comment, key).allSatisfy { byte, wanted in
        byte == wanted || 0x61...0x7A ~= byte && byte - 32 == wanted
      }
  }

  private static func comments(_ packet: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var reader = ByteReader(packet)
    guard let vendor = reader.little(), reader.take(vendor) != nil, let count = reader.little() else {
      return []
    }
    var comments: [ArraySlice<UInt8>] = []
    while comments.count < count, let size = reader.little(), let comment = reader.take(size) {
      comments.append(comment)
    }
    return comments
  }

  /// The packet behind the first one, of the first stream (RFC 3533, 6).
  private static func secondPacket(_ file: FileWindow, at start: Int) -> [UInt8]? {
    var packet: [UInt8] = []
    var ended = 0
    var place = start
    var stream: [UInt8]?
    while place - start < 4 * Picture.largest, let head = file.bytes(at: place, count: 27),
      head.starts(with: Array("OggS".utf8)), let lacing = file.bytes(at: place + 27, count: Int(head[26])),
      let body = file.bytes(at: place + 27 + lacing.count, count: lacing.reduce(0) { $0 + Int($1) })
    {
      place += 27 + lacing.count + body.count
      let serial = Array(head[14..<18])
      stream = stream ?? serial
      guard serial == stream else { continue }
      var reader = ByteReader(body[...])
      for size in lacing {
        let part = reader.take(Int(size)) ?? []
        if ended == 1 { packet += part }
        if size < 255 { ended += 1 }
        if ended == 2 { return packet }
      }
    }
    return nil
  }
}
