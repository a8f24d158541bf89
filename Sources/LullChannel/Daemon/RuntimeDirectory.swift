package import LullSystem

package enum RuntimeDirectoryError: Error, Equatable, CustomStringConvertible {
  /// A path without a slash at its beginning would lead elsewhere from another folder.
  case relative(path: String)
  /// The path of a socket in the directory would be longer than the kernel takes.
  case tooLong(bytes: Int, most: Int)
  case missingParent(path: String)
  /// The name stands for something else, or for a link.
  case notADirectory(path: String)
  /// The directory belongs to another user, who could put a socket of his own there.
  case wrongOwner(path: String, uid: UInt32)
  case writableByOthers(path: String, mode: UInt32)
  case system(path: String, SystemError)

  package var description: String {
    switch self {
    case .relative(let path): "runtime directory \(path): give a path that begins with / in LULL_RUNTIME_DIR"
    case .tooLong(let bytes, let most):
      "the runtime directory's path has \(bytes) bytes; set LULL_RUNTIME_DIR to one of at most \(most)"
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
  /// Makes the directory with mode 0700 when it is missing, and checks that the directory is the user's own
  /// and that nobody else can write in it. The corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and
  /// `fstat`.
  package static func ensureRuntimeDirectory(_ path: String) throws(RuntimeDirectoryError) {
    try RuntimeDirectory.check(path)
    do {
      try makeDirectory(path)
    } catch {
      guard error.isExisting else {
        throw error.isNoSuchFile ? .missingParent(path: path) : .system(path: path, error)
      }
    }
    try check(path)
  }

  private static func check(_ path: String) throws(RuntimeDirectoryError) {
    let owner: FileOwner
    do {
      owner = try Files.owner(ofDirectory: path)
    } catch {
      throw error.isNotADirectory ? .notADirectory(path: path) : .system(path: path, error)
    }
    guard owner.uid == Identity.uid() else { throw .wrongOwner(path: path, uid: owner.uid) }
    guard owner.mode & 0o022 == 0 else { throw .writableByOthers(path: path, mode: owner.mode) }
  }
}
