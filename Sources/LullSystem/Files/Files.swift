internal import Glibc

package enum Files {
  /// EFBIG: the file has more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(
      owning: systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
    return try read(file.raw, path, limit: limit)
  }

  static func read(_ name: String, in directory: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(
      owning: systemCall("open \(name)") { unsafe openat(directory, name, O_RDONLY | O_CLOEXEC) })
    return try read(file.raw, name, limit: limit)
  }

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
  /// until the descriptor is closed, and so never longer than the process lives.
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

  package static func openDirectory(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor(
      owning: systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// ENOENT: there is no such name.
  package static func unlink(_ path: String) throws(SystemError) {
    try systemCall("unlink \(path)") { unsafe Glibc.unlink(path) }
  }

  /// True also for a link that leads nowhere.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

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
  package static func openNull() throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("open /dev/null") { unsafe open("/dev/null", O_RDWR | O_CLOEXEC) })
  }
}
