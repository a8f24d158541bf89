package import LullSystem

/// The place of what outlives the daemon: its journal, and the logs and records of programs. The rule for it
/// stands here alone.
package enum StateDirectory {
  /// The directory of the daemon of this runtime directory: `lull` in `$XDG_STATE_HOME`, else `/var/lib/lull`
  /// for root without HOME, else `~/.local/state/lull`; in it `at/NUMBER` for a runtime directory that is not
  /// the usual one. It need not exist yet; nil when the user has no home directory.
  package static func path() -> String? {
    path(
      uid: Identity.uid(), home: Identity.home, runtime: RuntimeDirectory.path(),
      environment: Identity.environment)
  }

  /// Makes the directory and those above it that are missing; the directory itself is the user's own, and
  /// nobody else can write in it. The corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  package static func ensure(_ path: String) throws(SystemError) {
    try Files.makeDirectories(path)
    let owner: FileOwner
    do {
      owner = try Files.owner(ofDirectory: path)
    } catch {
      throw SystemError(code: error.code, call: "open \(path)")
    }
    guard owner.uid == Identity.uid(), owner.mode & 0o022 == 0 else {
      throw .notPermitted("\(path) is not your own, or others can write in it")
    }
  }

  static func path(
    uid: UInt32, home: () -> String?, runtime: String, environment: (String) -> String?
  ) -> String? {
    guard let base = base(uid: uid, home: home, environment: environment) else { return nil }
    // Two daemons that run at once must not write to one file.
    return runtime == usualRuntime(uid) ? base : "\(base)/at/\(RuntimeDirectory.number(of: runtime))"
  }

  private static func base(
    uid: UInt32, home: () -> String?, environment: (String) -> String?
  ) -> String? {
    // The XDG specification says to ignore relative paths.
    if let given = environment("XDG_STATE_HOME"), given.hasPrefix("/") { return given + "/lull" }
    if uid == 0, (environment("HOME") ?? "").isEmpty { return "/var/lib/lull" }
    return home().map { $0 + "/.local/state/lull" }
  }

  private static func usualRuntime(_ uid: UInt32) -> String {
    uid == 0 ? "/run/lull" : "/run/user/\(uid)/lull"
  }
}
