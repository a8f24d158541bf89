internal import LullSystem

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

  /// The sockets of the keepers in the directory, each by the name of its program.
  package static func keepers() -> String { path() + "/keepers" }

  private static let controlName = "/control"

  /// Refuses a path that cannot be that of a runtime directory, before anybody looks for a daemon there.
  package static func check(_ path: String = path()) throws(RuntimeDirectoryError) {
    guard path.hasPrefix("/") else { throw .relative(path: path) }
    let most = UnixSocket.longestPath - controlName.utf8.count
    guard path.utf8.count <= most else { throw .tooLong(bytes: path.utf8.count, most: most) }
  }

  /// Makes the directory when it is missing and checks that it is the user's own; returns its path.
  /// The corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  @discardableResult
  package static func ensure() throws(RuntimeDirectoryError) -> String {
    let path = path()
    try Files.ensureRuntimeDirectory(path)
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
