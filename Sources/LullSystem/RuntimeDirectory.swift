internal import Glibc

/// Why a runtime directory cannot be used.
public enum RuntimeDirectoryError: Error, Equatable, CustomStringConvertible {
  /// The directory above does not exist.
  case missingParent(path: String)
  /// The name stands for something else, or for a link.
  case notADirectory(path: String)
  /// It belongs to another user, who could put a socket of his own there.
  case wrongOwner(path: String, uid: UInt32)
  /// The group or others may write in it.
  case writableByOthers(path: String, mode: UInt32)
  /// Anything else.
  case system(path: String, SystemError)

  /// One line that says what is wrong with which directory.
  public var description: String {
    switch self {
    case .missingParent(let path): "runtime directory \(path): the directory above it does not exist"
    case .notADirectory(let path): "runtime directory \(path): not a directory"
    case .wrongOwner(let path, let uid):
      "runtime directory \(path): belongs to uid \(uid), not to uid \(Identity.uid())"
    case .writableByOthers(let path, let mode):
      "runtime directory \(path): writable by others (mode \(String(mode, radix: 8)))"
    case .system(let path, let error): "runtime directory \(path): \(error)"
    }
  }
}

extension Files {
  /// Makes the directory with mode 0700 when it is missing, and checks that it is the user's own and that
  /// nobody else can write in it. The corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  public static func ensureRuntimeDirectory(_ path: String) throws(RuntimeDirectoryError) {
    try makeDirectory(path)
    try check(path)
  }

  private static func makeDirectory(_ path: String) throws(RuntimeDirectoryError) {
    do {
      try systemCall("mkdir") { unsafe mkdir(path, 0o700) }
    } catch {
      if error.isExisting { return }
      throw error.isNoSuchFile ? .missingParent(path: path) : .system(path: path, error)
    }
  }

  /// Looks through a descriptor, because the name could be exchanged between two looks.
  private static func check(_ path: String) throws(RuntimeDirectoryError) {
    var status = stat()
    do {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
      let directory = try Descriptor(owning: systemCall("open") { unsafe open(path, flags) })
      try systemCall("fstat") { unsafe fstat(directory.raw, &status) }
    } catch {
      let other = error.code == ENOTDIR || error.code == ELOOP
      throw other ? .notADirectory(path: path) : .system(path: path, error)
    }
    guard status.st_uid == geteuid() else { throw .wrongOwner(path: path, uid: status.st_uid) }
    guard status.st_mode & 0o022 == 0 else {
      throw .writableByOthers(path: path, mode: UInt32(status.st_mode & 0o7777))
    }
  }
}
