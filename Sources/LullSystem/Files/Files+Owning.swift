internal import Glibc

package struct FileOwner: Equatable {
  package let uid: UInt32
  /// The permission bits (07777).
  package let mode: UInt32

  fileprivate init(_ status: stat) { (uid, mode) = (status.st_uid, UInt32(status.st_mode & 0o7777)) }
}

extension Files {
  /// The owner of a directory. ENOTDIR or ELOOP (`isNotADirectory`): it is something else, or a link to one.
  package static func owner(ofDirectory path: String) throws(SystemError) -> FileOwner {
    // Through a descriptor, because the name could come to mean another file between two calls.
    let directory = try Descriptor.opening(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, call: "open")
    return try owner(ofFile: directory.raw)
  }

  package static func owner(ofFile raw: Int32) throws(SystemError) -> FileOwner {
    FileOwner(try openFileStatus(raw))
  }

  /// The directory is the one behind all links.
  package static func owner(ofFolder path: String) throws(SystemError) -> FileOwner {
    var status = stat()
    try systemCall("stat \(path)") { unsafe stat(path, &status) }
    return FileOwner(status)
  }

  /// A regular file of the effective user's own, whole. EACCES: it is somebody else's; ELOOP or EINVAL: it is
  /// something else; EFBIG: it has more than `limit` bytes. The corresponding C functions are
  /// `open(O_NOFOLLOW)`, `fstat` and `read`.
  package static func readOwn(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try openOwn(path, O_RDONLY)
    return try read(file.raw, path, limit: limit)
  }

  /// The name is that of a regular file of the effective user's own, also behind a link, that its owner may
  /// execute and nobody else can write, in a folder that is the user's own and in which nobody else can
  /// write. ENOENT: there is none. The corresponding C functions are `open(O_NOFOLLOW)`, `fstat` and `stat`.
  package static func isOwnExecutable(_ name: String, in folder: String) throws(SystemError) -> Bool {
    let path = "\(folder)/\(name)"
    var status = stat()
    try systemCall("stat \(path)") { unsafe stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o122 == 0o100
    else { return false }
    do throws(SystemError) {
      // Another user's folder could hold a link to any program of this user's.
      let owner = try owner(ofDirectory: folder)
      return owner.uid == geteuid() && owner.mode & 0o022 == 0
    } catch {
      guard error.isNotADirectory else { throw error }
      return false
    }
  }

  /// Refuses a file that this process cannot execute. ENOENT: there is none; EACCES: it is no regular file,
  /// or not executable.
  package static func checkExecutable(_ path: String) throws(SystemError) {
    var status = stat()
    try systemCall("stat \(path)") { unsafe stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notPermitted("execute \(path)") }
    try systemCall("execute \(path)") { unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) }
  }
}
