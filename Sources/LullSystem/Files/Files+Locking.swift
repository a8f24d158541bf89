internal import Glibc

// Files to which several processes append.
extension Files {
  /// A regular file of the effective user's own for reading and for writing at its end, made for its owner
  /// alone (0600) when it is missing. EACCES: it is somebody else's; ELOOP, EISDIR, ENXIO or EINVAL: it is
  /// something else. The corresponding C functions are `open(O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)` and
  /// `fstat`.
  package static func openOwnShared(_ path: String) throws(SystemError) -> Descriptor {
    try openOwn(path, O_RDWR | O_APPEND | O_CREAT)
  }

  /// Takes the lock of an open file; false when somebody else holds it. The lock is held until it is given
  /// back, or the file is closed. The corresponding C function is `flock(LOCK_EX | LOCK_NB)`.
  package static func takeLock(_ raw: Int32) throws(SystemError) -> Bool {
    do {
      try systemCall("flock") { flock(raw, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.isWouldBlock else { throw error }
      return false
    }
  }

  /// Gives the lock of an open file back. The corresponding C function is `flock(LOCK_UN)`.
  package static func giveLockBack(_ raw: Int32) { _ = flock(raw, LOCK_UN) }
}
