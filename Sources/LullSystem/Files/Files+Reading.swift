internal import Glibc

// Paths are bytes, which need not be UTF-8.
extension Files {
  /// A regular file, or one behind a link, for reading; nil for anything else. The call never waits: opening
  /// a pipe could block for ever. ENOENT: there is none.
  package static func openRegular(_ path: [UInt8]) throws(SystemError) -> DescriptorBox? {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let text = String(decoding: path, as: UTF8.self)
    let file = try Descriptor(owning: systemCall("open \(text)") { unsafe open(name, flags) })
    var status = stat()
    try systemCall("fstat") { unsafe fstat(file.raw, &status) }
    return status.st_mode & S_IFMT == S_IFREG ? DescriptorBox(file) : nil
  }

  /// EFBIG: the file has more than `limit` bytes; EINVAL: it is no regular file.
  package static func read(_ path: [UInt8], limit: Int) throws(SystemError) -> [UInt8] {
    let text = String(decoding: path, as: UTF8.self)
    guard let file = try openRegular(path) else { throw SystemError(code: EINVAL, call: "open \(text)") }
    defer { file.close() }
    return try read(file.raw, text, limit: limit)
  }

  /// At most `count` bytes of an open file from an offset on, without moving its place; fewer at its end.
  package static func read(_ raw: Int32, at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = try systemCall("pread", on: .foreign) {
        unsafe bytes.withUnsafeMutableBytes { room in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled...])
          return unsafe pread(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        }
      }
      guard more > 0 else { break }
      filled += more
    }
    bytes.removeSubrange(filled...)
    return bytes
  }

  /// Has the kernel read `count` bytes of a file into memory, without waiting for them, from an offset on or
  /// from the file's place. The kernel may ignore this hint. One call reads no more than the device's
  /// read-ahead, hence the pieces.
  package static func readAhead(_ raw: Int32, at offset: Int64? = nil, count: Int) {
    let piece = 1 << 17
    let start = offset.map { off_t($0) } ?? lseek(raw, 0, SEEK_CUR)
    guard start >= 0 else { return }
    for offset in stride(from: 0, to: count, by: piece) {
      _ = posix_fadvise(raw, start + off_t(offset), off_t(piece), POSIX_FADV_WILLNEED)
    }
  }

  /// The path from the root on; a relative one begins at the working directory. Links stay as they are.
  package static func absolutePath(_ path: [UInt8]) throws(SystemError) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard path.first != slash else { return path }
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&room, room.count) != nil else { throw SystemError("getcwd") }
    let directory = room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return (directory == [slash] ? [] : directory) + [slash] + path
  }
}
