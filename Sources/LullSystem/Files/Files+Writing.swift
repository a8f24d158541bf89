internal import Glibc

extension Files {
  /// Replaces a file as a whole: a reader, and a start after a crash, sees the old bytes or the new ones. The
  /// file is the owner's alone (0600). `durably`: the new bytes outlive a loss of power from then on; the
  /// call waits for the disk. The corresponding C functions are `open(O_CREAT)`, `write`, `fsync` and
  /// `rename`.
  package static func replace(
    _ path: String, with bytes: [UInt8], durably: Bool = false
  ) throws(SystemError) {
    let draft = path + ".new"
    do throws(SystemError) {
      let file = try create(draft)
      do throws(SystemError) { try StandardStreams.write(bytes, to: file.raw) } catch {
        throw SystemError(code: error.code, call: "write \(draft)")
      }
      if durably { try systemCall("fsync \(draft)") { fsync(file.raw) } }
      try rename(draft, to: path)
    } catch {
      // Half of the file on a full disk is of no use to anybody.
      try? unlink(draft)
      throw error
    }
    guard durably else { return }
    let folder = try openDirectory(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    try systemCall("fsync \(path)") { fsync(folder.raw) }
  }

  /// Writes over the beginning of a file, the owner's alone (0600), which is made when it is missing; the
  /// bytes behind stay. Over bytes that were written before, the call takes no room on the disk and waits for
  /// none. The corresponding C functions are `open(O_CREAT)` and `pwrite`.
  package static func overwrite(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let file = try openRegular(path, O_WRONLY | O_CREAT)
    let count = try systemCall("write \(path)") { unsafe pwrite(file.raw, bytes, bytes.count, 0) }
    guard count == bytes.count else { throw SystemError(code: ENOSPC, call: "write \(path)") }
  }

  /// A file that had that name is dropped.
  package static func rename(_ path: String, to name: String) throws(SystemError) {
    guard unsafe Glibc.rename(path, name) == 0 else {
      throw failure(errno, of: "rename", on: [path, name])
    }
  }

  /// One write to a regular file, which is short on a disk that has become full.
  static func writeOnce(_ bytes: [UInt8], to raw: Int32, _ path: String) throws(SystemError) -> Int {
    try systemCall("write \(path)") { unsafe Glibc.write(raw, bytes, bytes.count) }
  }

  package static func truncate(_ raw: Int32, to size: Int = 0) throws(SystemError) {
    try systemCall("ftruncate") { ftruncate(raw, off_t(size)) }
  }

  package static func size(_ raw: Int32) throws(SystemError) -> Int {
    Int(try openFileStatus(raw).st_size)
  }

  /// Others find an open file by its name.
  package static func hasName(_ raw: Int32) throws(SystemError) -> Bool {
    try openFileStatus(raw).st_nlink > 0
  }
}
