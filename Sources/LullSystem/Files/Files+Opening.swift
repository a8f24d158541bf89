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
    var status = stat()
    try systemCall("fstat \(path)") { unsafe fstat(file.raw, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure(EINVAL, of: "open", on: [path]) }
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
}
