internal import LullSystem

/// The place of the daemon's control socket. The rule for it stands here alone.
package enum RuntimeDirectory {
  /// The directory: `$LULL_RUNTIME_DIR`, else `/run/lull` for root, else `$XDG_RUNTIME_DIR/lull`, else
  /// `/tmp/lull-UID`. It need not exist yet.
  package static func path() -> String {
    path(uid: Identity.uid(), environment: Identity.environment)
  }

  /// The control socket in the directory.
  package static func controlSocket() -> String {
    path() + "/control"
  }

  /// Makes the directory when it is missing and checks that it is the user's own; returns its path.
  /// The corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  @discardableResult
  package static func ensure() throws(RuntimeDirectoryError) -> String {
    let path = path()
    try Files.ensureRuntimeDirectory(path)
    return path
  }

  static func path(uid: UInt32, environment: (String) -> String?) -> String {
    if let given = environment("LULL_RUNTIME_DIR"), !given.isEmpty { return given }
    // Root's session directory would hide the system's daemon from root's shells.
    if uid == 0 { return "/run/lull" }
    if let session = environment("XDG_RUNTIME_DIR"), !session.isEmpty { return session + "/lull" }
    return "/tmp/lull-\(uid)"
  }
}
