internal import LullSystem

/// Reads the words and the loudness of a file: FLAC, Ogg Vorbis and Opus, MP3 (ID3v2).
enum FileComments {
  /// Bytes that are read at most.
  private static let limit = 1 << 24
  private static let piece = 1 << 16

  /// The comments of an open file; none for a file of another kind.
  static func read(_ file: Int32) -> Comments {
    do throws(SystemError) {
      let head = try Files.read(file, at: 0, count: 4)
      return switch head {
      case Array("fLaC".utf8): try flac(file)
      case Array("OggS".utf8): try ogg(file)
      default: isMP3(head) ? try mp3(file) : Comments()
      }
    } catch {
      // The decoder reports a file that cannot be read.
      return Comments()
    }
  }

  private static func isMP3(_ head: [UInt8]) -> Bool {
    head.starts(with: "ID3".utf8) || head.count == 4 && head[0] == 0xFF && head[1] >= 0xE0
  }

  /// The metadata blocks at the file's start (RFC 9639, 8.1).
  private static func flac(_ file: Int32) throws(SystemError) -> Comments {
    var comments = Comments()
    var offset: Int64 = 4
    while offset < limit {
      let header = try Files.read(file, at: offset, count: 4)
      guard header.count == 4 else { break }
      let length = header[1...].reduce(0) { $0 << 8 | Int($1) }
      offset += 4
      if header[0] & 0x7F == 4 {
        let block = try Files.read(file, at: offset, count: length)
        comments = Comments(vorbis: block[...]) ?? comments
      }
      offset += Int64(length)
      if header[0] & 0x80 != 0 { break }
    }
    return comments
  }

  /// The second packet of the first stream.
  private static func ogg(_ file: Int32) throws(SystemError) -> Comments {
    let packets = unsafe OggPackets { unsafe OggCodecKind($0) != nil }
    var kind: OggCodecKind?
    for offset in stride(from: 0, to: limit, by: piece) {
      let bytes = try Files.read(file, at: Int64(offset), count: piece)
      packets.feed(bytes[...])
      while let packet = packets.next() {
        guard let known = kind else {
          kind = unsafe OggCodecKind(packet.bytes)
          continue
        }
        return unsafe known.comments(packet.bytes) ?? Comments()
      }
      if bytes.count < piece { break }
    }
    return Comments()
  }

  /// The tag stands before the first frame.
  private static func mp3(_ file: Int32) throws(SystemError) -> Comments {
    guard let decoder = MP3Decoder() else { return Comments() }
    var samples: [Float] = []
    for offset in stride(from: 0, to: limit, by: piece) {
      let bytes = try Files.read(file, at: Int64(offset), count: piece)
      decoder.feed(bytes[...])
      let step = decoder.decode(onto: &samples)
      if case .failed = step { break }
      if decoder.format != nil || bytes.count < piece { break }
    }
    return decoder.comments
  }
}

extension Comments {
  /// The comments of a file (FLAC, Ogg Vorbis and Opus, MP3); none for another kind, or when it cannot be
  /// opened.
  public init(path: [UInt8]) {
    self.init()
    guard let file = try? Files.openRegular(path) else { return }
    self = FileComments.read(file.raw)
    file.close()
  }
}
