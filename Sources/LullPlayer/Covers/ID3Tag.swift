/// The tag in front of an MP3 file (ID3v2.2, 2.3 and 2.4).
struct ID3Tag {
  /// The place behind the tag.
  let end: Int
  /// The pictures in it.
  private(set) var pictures: [Picture] = []

  /// Reads the tag; nil when the file has none.
  init?(_ file: FileWindow, _ head: [UInt8]) {
    guard head.starts(with: Array("ID3".utf8)), 2...4 ~= head[3] else { return nil }
    var reader = ByteReader(head[6...])
    guard let count = reader.syncsafe() else { return nil }
    end = 10 + count
    guard let body = file.bytes(at: 10, count: count) else { return }
    let (version, flags) = (head[3], head[5])
    let plain = flags & 0x80 != 0 && version < 4 ? ID3Tag.synchronized(body[...])[...] : body[...]
    read(flags & 0x40 != 0 && version > 2 ? ID3Tag.withoutExtension(plain, version) : plain, version)
  }

  private mutating func read(_ body: ArraySlice<UInt8>, _ version: UInt8) {
    var reader = ByteReader(body)
    while let name = reader.take(version == 2 ? 3 : 4), name.first != 0 {
      let size = version == 2 ? reader.big(3) : version == 3 ? reader.big() : reader.syncsafe()
      let flags = version == 2 ? [0, 0] : reader.take(2)
      guard let size, let flags = flags.map({ Array($0) }), let frame = reader.take(size) else { return }
      guard ["PIC", "APIC"].contains(String(decoding: name, as: UTF8.self)) else { continue }
      if let content = ID3Tag.content(frame, flags: flags[1], version: version) {
        addPicture(content, version)
      }
    }
  }

  /// The content of a frame; nil when it is compressed or encrypted.
  private static func content(_ frame: ArraySlice<UInt8>, flags: UInt8, version: UInt8) -> ArraySlice<
    UInt8
  >? {
    guard version == 4 else { return flags & 0xC0 == 0 ? frame : nil }
    guard flags & 0x0C == 0 else { return nil }
    let plain = flags & 0x01 != 0 ? frame.dropFirst(4) : frame
    return flags & 0x02 != 0 ? synchronized(plain)[...] : plain
  }

  private mutating func addPicture(_ content: ArraySlice<UInt8>, _ version: UInt8) {
    var reader = ByteReader(content)
    guard let encoding = reader.take(1)?.first else { return }
    if version == 2 {
      guard reader.take(3) != nil else { return }
    } else {
      guard let end = reader.rest.firstIndex(of: 0) else { return }
      _ = reader.take(end + 1 - reader.rest.startIndex)
    }
    guard let kind = reader.big(1), let words = ID3Tag.text(reader.rest, wide: encoding == 1 || encoding == 2)
    else { return }
    pictures.append(Picture(reader.rest.dropFirst(words), kind: kind))
  }

  /// The count of bytes of a text with the zero that ends it.
  private static func text(_ bytes: ArraySlice<UInt8>, wide: Bool) -> Int? {
    let list = Array(bytes)
    guard wide else { return list.firstIndex(of: 0).map { $0 + 1 } }
    return stride(from: 0, to: list.count - 1, by: 2).first { list[$0] == 0 && list[$0 + 1] == 0 }.map {
      $0 + 2
    }
  }

  /// The bytes without the zeros that keep a player from taking the tag for sound (ID3v2, 5).
  private static func synchronized(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var last: UInt8 = 0
    for byte in bytes {
      if !(last == 0xFF && byte == 0) { result.append(byte) }
      last = byte
    }
    return result
  }

  private static func withoutExtension(_ body: ArraySlice<UInt8>, _ version: UInt8) -> ArraySlice<UInt8> {
    var reader = ByteReader(body)
    guard let size = version == 3 ? reader.big().map({ $0 + 4 }) : reader.syncsafe() else { return [] }
    return body.dropFirst(size)
  }
}
