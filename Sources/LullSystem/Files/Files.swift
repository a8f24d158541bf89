internal import Glibc

/// Files and directories.
package enum Files {
  /// The whole file. EFBIG: the file has more than `limit` bytes. The corresponding C functions are `open`
  /// and `read`.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(
      owning: systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
    return try read(file.raw, path, limit: limit)
  }

  /// The whole file of a directory, likewise. The corresponding C functions are `openat` and `read`.
  static func read(_ name: String, in directory: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(
      owning: systemCall("open \(name)") { unsafe openat(directory, name, O_RDONLY | O_CLOEXEC) })
    return try read(file.raw, name, limit: limit)
  }

  /// The rest of an open file. The corresponding C function is `read`.
  static func read(_ raw: Int32, _ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = try systemCall("read \(path)") { unsafe Glibc.read(raw, &room, room.count) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(code: EFBIG, call: "read \(path)") }
      bytes += room[..<count]
    }
  }

  /// Takes the lock file, which is made when it is missing; nil when somebody else holds it. The lock is held
  /// until the descriptor is closed, and so never longer than the process lives. The corresponding C function
  /// is `flock(LOCK_EX | LOCK_NB)`.
  package static func lock(_ path: String) throws(SystemError) -> Descriptor? {
    let file = try openRegular(path, O_RDWR | O_CREAT)
    do {
      try systemCall("flock \(path)") { flock(file.raw, LOCK_EX | LOCK_NB) }
      return file
    } catch {
      guard error.isWouldBlock else { throw error }
      return nil
    }
  }

  /// A directory, for `SpawnRequest.directory`. The corresponding C function is `open(O_DIRECTORY)`.
  package static func openDirectory(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor(
      owning: systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// Removes a name. ENOENT: there is none. The corresponding C function is `unlink`.
  package static func unlink(_ path: String) throws(SystemError) {
    try systemCall("unlink \(path)") { unsafe Glibc.unlink(path) }
  }

  /// True when there is a file, or a link that leads nowhere. The corresponding C function is `lstat`.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// The names of the directories in a directory. The corresponding C function is `readdir`.
  package static func subdirectories(of path: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw SystemError("opendir \(path)") }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      guard unsafe entry.pointee.d_type == UInt8(DT_DIR) else { continue }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}

extension Files {
  /// The file that swallows every byte written and has none to read. The corresponding C function is `open`.
  package static func openNull() throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("open /dev/null") { unsafe open("/dev/null", O_RDWR | O_CLOEXEC) })
  }
}
