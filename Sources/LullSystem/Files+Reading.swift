internal import Glibc

extension Files {
  /// A regular file, or one behind a link, for reading; nil for anything else, which is not waited for: opening a pipe could
  /// block for ever. ENOENT: there is none. The corresponding C functions are `open(O_NONBLOCK)` and `fstat`.
  public static func openRegular(_ path: String) throws(SystemError) -> DescriptorBox? {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let file = try Descriptor(owning: systemCall("open \(path)") { unsafe open(path, flags) })
    var status = stat()
    try systemCall("fstat") { unsafe fstat(file.raw, &status) }
    return status.st_mode & S_IFMT == S_IFREG ? DescriptorBox(file) : nil
  }

  /// Has the kernel read the next `count` bytes of a file into memory, without waiting for them; it is a hint that may be
  /// ignored. One call reads no more than the device's read-ahead, hence the pieces. The corresponding C function is
  /// `posix_fadvise(POSIX_FADV_WILLNEED)`.
  public static func readAhead(_ raw: Int32, count: Int) {
    let piece = 1 << 17
    let start = lseek(raw, 0, SEEK_CUR)
    guard start >= 0 else { return }
    for offset in stride(from: 0, to: count, by: piece) {
      _ = posix_fadvise(raw, start + off_t(offset), off_t(piece), POSIX_FADV_WILLNEED)
    }
  }

  /// The path from the root on; a relative one begins at the working directory. Links stay as they are.
  /// The corresponding C function is `getcwd`.
  public static func absolutePath(_ path: String) throws(SystemError) -> String {
    guard !path.hasPrefix("/") else { return path }
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&room, room.count) != nil else { throw SystemError("getcwd") }
    let directory = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }
}
