internal import CLinux
internal import Glibc

// The files that Lull names itself. Anybody who may write in their folder can put something else there.
extension Files {
  /// Opens a regular file, which `O_CREAT` makes for its owner alone (0600). Anything else in its place, also
  /// a link to a file, is an error that says so.
  static func openRegular(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    // O_NONBLOCK: a named pipe would make the caller wait for its other end.
    let always = O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK
    let raw = unsafe open(path, flags | always, 0o600)
    guard raw != -1 else { throw failure(errno, of: "open", on: [path]) }
    let file = Descriptor(owning: raw)
    guard try openFileStatus(file.raw).st_mode & S_IFMT == S_IFREG else {
      throw failure(EINVAL, of: "open", on: [path])
    }
    return file
  }

  /// EACCES: the file is somebody else's.
  static func openOwn(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    let file = try openRegular(path, flags)
    guard try owner(ofFile: file.raw).uid == geteuid() else {
      throw .notPermitted("\(path) is not a file of your own")
    }
    return file
  }

  /// The failure of a call on the first of these names, with what stands in the place of a file there.
  static func failure(_ code: Int32, of call: String, on paths: [String]) -> SystemError {
    let found = paths.lazy.compactMap { path in kind(inTheWay: path).map { (path, $0) } }.first
    let obstacle = found.map { " (\($1) is in the way: take away \($0))" }
    return SystemError(code: code, call: "\(call) \(paths[0])\(obstacle ?? "")")
  }

  private static func kind(inTheWay path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return "a folder"
    case S_IFIFO: return "a named pipe"
    case S_IFSOCK: return "a socket"
    case S_IFLNK: return "a link"
    default: return "a device"
    }
  }

  /// A regular file of the effective user's own for writing at its end, made for its owner alone (0600) when
  /// it is missing. EACCES: it is somebody else's; ELOOP, EISDIR, ENXIO or EINVAL: it is something else. The
  /// corresponding C functions are `open(O_APPEND | O_CREAT | O_NOFOLLOW)` and `fstat`.
  package static func openOwnAtEnd(_ path: String) throws(SystemError) -> Descriptor {
    try openOwn(path, O_WRONLY | O_APPEND | O_CREAT)
  }

  /// A regular file of the effective user's own for reading and for writing at its end, made for its owner
  /// alone (0600) when it is missing. EACCES: it is somebody else's; ELOOP, EISDIR, ENXIO or EINVAL: it is
  /// something else. The corresponding C functions are `open(O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)` and
  /// `fstat`.
  package static func openOwnShared(_ path: String) throws(SystemError) -> Descriptor {
    try openOwn(path, O_RDWR | O_APPEND | O_CREAT)
  }

  /// An existing regular file for writing at its end. ENOENT: there is none. The corresponding C function is
  /// `open(O_APPEND | O_NOFOLLOW)`.
  package static func openForAppending(_ path: String) throws(SystemError) -> Descriptor {
    try openRegular(path, O_WRONLY | O_APPEND)
  }

  /// An empty file for writing, the owner's alone (0600); the old bytes are dropped. The corresponding C
  /// function is `open(O_CREAT | O_TRUNC)`.
  package static func create(_ path: String) throws(SystemError) -> Descriptor {
    try openRegular(path, O_WRONLY | O_CREAT | O_TRUNC)
  }

  /// A file for writing at its end, made with these permissions (as the umask leaves them) when it is
  /// missing. A pipe without a reader is an error (ENXIO) and not a wait.
  package static func openAtEnd(_ path: [UInt8], mode: UInt32) throws(SystemError) -> Descriptor {
    try .opening(path, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK, mode: mode)
  }

  /// A regular file, or one behind a link, for reading; nil for anything else. The call never waits: opening
  /// a pipe could block for ever. ENOENT: there is none.
  package static func openRegular(_ path: [UInt8]) throws(SystemError) -> DescriptorBox? {
    let file = try Descriptor.opening(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    return try openFileStatus(file.raw).st_mode & S_IFMT == S_IFREG ? DescriptorBox(file) : nil
  }

  package static func openDirectory(_ path: String) throws(SystemError) -> Descriptor {
    try .opening(path, O_RDONLY | O_DIRECTORY)
  }

  /// A folder for `SpawnRequest.directory`, by a path that need not be UTF-8; it must be one that can be
  /// entered, and need not be readable. The corresponding C function is `open(O_PATH)`.
  package static func openDirectory(_ path: [UInt8]) throws(SystemError) -> Descriptor {
    try .opening(path, CLINUX_O_PATH | O_DIRECTORY)
  }

  package static func openNull() throws(SystemError) -> Descriptor {
    try .opening("/dev/null", O_RDWR)
  }
}
