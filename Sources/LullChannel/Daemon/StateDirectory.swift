package import LullSystem
import LullWire

/// The place of what outlives the daemon: its journal, and the logs and records of programs.
package enum StateDirectory {
  /// `lull` in `$XDG_STATE_HOME`, else `~/.local/state/lull`; in it `at/NUMBER` for a runtime directory that
  /// is not the usual one. Root has `/var/lib/lull` unless the folder that the variable or HOME names is
  /// root's own: in another user's, as after `su` or `sudo -E`, root would follow that user's links. It need
  /// not exist yet; nil when the user has no home directory.
  package static func path() -> String? {
    path(
      uid: Identity.uid(), home: Identity.home, runtime: RuntimeDirectory.path(), owner: owner(of:),
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
    uid: UInt32, home: () -> String?, runtime: String, owner: (String) -> UInt32?,
    environment: (String) -> String?
  ) -> String? {
    guard let base = base(uid: uid, home: home, owner: owner, environment: environment) else { return nil }
    // Two daemons that run at once must not write to one file.
    return runtime == usualRuntime(uid) ? base : "\(base)/at/\(RuntimeDirectory.number(of: runtime))"
  }

  private static func base(
    uid: UInt32, home: () -> String?, owner: (String) -> UInt32?, environment: (String) -> String?
  ) -> String? {
    func isSafe(_ folder: String) -> Bool { uid != 0 || owner(folder) == 0 }
    // The XDG specification says to ignore relative paths.
    if let given = environment("XDG_STATE_HOME"), given.hasPrefix("/"), isSafe(given) {
      return given + "/lull"
    }
    if uid == 0, !(environment("HOME").map { !$0.isEmpty && isSafe($0) } ?? false) {
      return "/var/lib/lull"
    }
    return home().map { $0 + "/.local/state/lull" }
  }

  /// The owner of a folder, or of the one above in which it would be made; nil for a link or a file.
  static func owner(of folder: String) -> UInt32? {
    var folder = folder
    while true {
      do {
        return try Files.owner(ofDirectory: folder).uid
      } catch {
        guard error.isNoSuchFile, let slash = folder.lastIndex(of: "/") else { return nil }
        folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      }
    }
  }

  private static func usualRuntime(_ uid: UInt32) -> String {
    uid == 0 ? "/run/lull" : "/run/user/\(uid)/lull"
  }
}

extension Files {
  /// Nil where there is no such file or folder.
  package static func ifThere<Value>(
    _ call: @autoclosure () throws(SystemError) -> Value
  ) throws(SystemError) -> Value? {
    do { return try call() } catch {
      guard error.isNoSuchFile else { throw error }
      return nil
    }
  }
}

/// The folder of a program for what outlives its run.
package enum ProgramStateFolder {
  package static let variable = "LULL_STATE_DIRECTORY"

  /// `programs-state/NAME` in ``StateDirectory``. It need not exist; nil when the user has no home directory,
  /// or no program can have that name.
  package static func path(of name: String) -> String? {
    ProgramName.isValid(name) ? StateDirectory.path().map { "\($0)/programs-state/\(name)" } : nil
  }

  /// Makes the folder (0700) and those above it that are missing; nobody else can write in it. The
  /// corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  package static func ensure(of name: String) throws(SystemError) -> String {
    guard let path = path(of: name) else { throw .missing("a home directory (set XDG_STATE_HOME)") }
    try StateDirectory.ensure(path)
    return path
  }
}
