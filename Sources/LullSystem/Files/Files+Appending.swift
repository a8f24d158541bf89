internal import CLinux
internal import Glibc

extension Files {
  /// A file for writing at its end, made with these permissions (as the umask leaves them) when it is
  /// missing. A pipe without a reader is an error (ENXIO) and not a wait.
  package static func openAtEnd(_ path: [UInt8], mode: UInt32) throws(SystemError) -> Descriptor {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let text = String(decoding: path, as: UTF8.self)
    return try Descriptor(owning: systemCall("open \(text)") { unsafe open(name, flags, mode) })
  }

  /// A regular file of the effective user's own for writing at its end, made for its owner alone (0600) when
  /// it is missing. EACCES: it is somebody else's; ELOOP, EISDIR, ENXIO or EINVAL: it is something else. The
  /// corresponding C functions are `open(O_APPEND | O_CREAT | O_NOFOLLOW)` and `fstat`.
  package static func openOwnAtEnd(_ path: String) throws(SystemError) -> Descriptor {
    try openOwn(path, O_WRONLY | O_APPEND | O_CREAT)
  }

  package static func size(_ raw: Int32) throws(SystemError) -> Int {
    var status = stat()
    try systemCall("fstat") { unsafe fstat(raw, &status) }
    return Int(status.st_size)
  }

  package static func truncate(_ raw: Int32, to size: Int = 0) throws(SystemError) {
    try systemCall("ftruncate") { ftruncate(raw, off_t(size)) }
  }

  /// One write to a regular file, which is short on a disk that has become full.
  static func writeOnce(_ bytes: [UInt8], to raw: Int32, _ path: String) throws(SystemError) -> Int {
    try systemCall("write \(path)") { unsafe Glibc.write(raw, bytes, bytes.count) }
  }

  /// The identity of a file by its name, not of one behind a link; nil when there is none.
  package static func identity(_ path: String) -> FileIdentity? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// A folder for `SpawnRequest.directory`, by a path that need not be UTF-8; it must be one that can be
  /// entered, and need not be readable. The corresponding C function is `open(O_PATH)`.
  package static func openDirectory(_ path: [UInt8]) throws(SystemError) -> Descriptor {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let text = String(decoding: path, as: UTF8.self)
    return try Descriptor(
      owning: systemCall("open \(text)") { unsafe open(name, CLINUX_O_PATH | O_DIRECTORY | O_CLOEXEC) })
  }

  /// ENOENT: the directory was removed.
  package static func workingDirectory() throws(SystemError) -> [UInt8] {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&room, room.count) != nil else { throw SystemError("getcwd") }
    return room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }
}
