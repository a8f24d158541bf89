internal import Glibc

package enum Files {
  /// EFBIG: the file has more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor.opening(path, O_RDONLY | O_NONBLOCK)
    return try read(file.raw, path, limit: limit)
  }

  static func read(_ name: String, in directory: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(
      owning: systemCall("open \(name)") { unsafe openat(directory, name, O_RDONLY | O_CLOEXEC) })
    return try read(file.raw, name, limit: limit)
  }

  static func read(_ raw: Int32, _ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try read(raw, by: "read \(path)", limit: limit)
  }

  /// `isOnePiece`: the kernel writes the file in one piece, so a read with room to spare is whole.
  static func read(
    _ raw: Int32, by call: String, limit: Int, isOnePiece: Bool = false
  ) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var filled = 0
    while true {
      let count = try systemCall(call) {
        unsafe bytes.withUnsafeMutableBytes { room in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled...])
          return unsafe Glibc.read(raw, rest.baseAddress, rest.count)
        }
      }
      filled += count
      guard filled <= limit else { throw SystemError(code: EFBIG, call: call) }
      if count == 0 || isOnePiece && filled < bytes.count { break }
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// ENOENT: there is no such name.
  package static func unlink(_ path: String) throws(SystemError) {
    try systemCall("unlink \(path)") { unsafe Glibc.unlink(path) }
  }

  /// True also for a link that leads nowhere.
  package static func exists(_ path: String) -> Bool { identity(path) != nil }

  /// The identity of a file by its name, not of one behind a link; nil when there is none.
  package static func identity(_ path: String) -> FileIdentity? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return FileIdentity(status)
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
}
