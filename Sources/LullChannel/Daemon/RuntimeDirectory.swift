package import LullSystem

/// The place of the daemon's control socket.
package enum RuntimeDirectory {
  /// `$LULL_RUNTIME_DIR`, else `/run/lull` for root, else `$XDG_RUNTIME_DIR/lull`, else `/tmp/lull-UID`. It
  /// need not exist yet, and ``check(_:)`` tells whether it can be used.
  package static func path() -> String {
    path(uid: Identity.uid(), environment: Identity.environment)
  }

  package static func controlSocket() -> String {
    path() + controlName
  }

  package static func keepers() -> String { path() + "/keepers" }

  private static let controlName = "/control"

  /// Refuses a path that cannot be that of a runtime directory, before anybody looks for a daemon there.
  package static func check(_ path: String = path()) throws(RuntimeDirectoryError) {
    guard path.hasPrefix("/") else { throw .relative(path: path) }
    let most = UnixSocket.longestPath - controlName.utf8.count
    guard path.utf8.count <= most else { throw .tooLong(bytes: path.utf8.count, most: most) }
  }

  /// Makes the directory with mode 0700 when it is missing, and checks that it is the user's own and that
  /// nobody else can write in it; returns its path. The corresponding C functions are `mkdir`,
  /// `open(O_NOFOLLOW)` and `fstat`.
  @discardableResult
  package static func ensure(_ path: String = path()) throws(RuntimeDirectoryError) -> String {
    try check(path)
    do {
      try Files.makeDirectory(path)
    } catch {
      guard error.isExisting else {
        throw error.isNoSuchFile ? .missingParent(path: path) : .system(path: path, error)
      }
    }
    let owner: FileOwner
    do {
      owner = try Files.owner(ofDirectory: path)
    } catch {
      throw error.isNotADirectory ? .notADirectory(path: path) : .system(path: path, error)
    }
    guard owner.uid == Identity.uid() else { throw .wrongOwner(path: path, uid: owner.uid) }
    guard owner.mode & 0o022 == 0 else { throw .writableByOthers(path: path, mode: owner.mode) }
    return path
  }

  /// A number for a runtime directory, in hexadecimal and the same at each start (FNV-1a, 64 bits), for names
  /// that belong to its daemon.
  package static func number(of path: String) -> String {
    String(path.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }

  static func path(uid: UInt32, environment: (String) -> String?) -> String {
    if let given = environment("LULL_RUNTIME_DIR"), !given.isEmpty { return given }
    // Root's session directory would hide the system's daemon from root's shells.
    if uid == 0 { return "/run/lull" }
    // The XDG Base Directory Specification: a relative path is ignored.
    if let session = environment("XDG_RUNTIME_DIR"), session.hasPrefix("/") { return session + "/lull" }
    return "/tmp/lull-\(uid)"
  }
}

package enum RuntimeDirectoryError: Error, Equatable, CustomStringConvertible {
  /// A path without a slash at its beginning would lead elsewhere from another folder.
  case relative(path: String)
  case tooLong(bytes: Int, most: Int)
  case missingParent(path: String)
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
