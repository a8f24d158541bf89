import LullSystem

/// Where the state is remembered: `$XDG_STATE_HOME/lull/player`, else `/var/lib/lull/player` for root, else
/// `~/.local/state/lull/player` (XDG Base Directory Specification).
struct StateFile {
  let path: String

  /// Nil when the user has no home directory.
  static func standard() -> StateFile? {
    path(uid: Identity.uid(), home: Identity.home(), environment: Identity.environment).map {
      StateFile(path: $0)
    }
  }

  static func path(uid: UInt32, home: String?, environment: (String) -> String?) -> String? {
    // The specification has relative paths ignored.
    if let given = environment("XDG_STATE_HOME"), given.hasPrefix("/") { return given + "/lull/player" }
    if uid == 0 { return "/var/lib/lull/player" }
    return home.map { $0 + "/.local/state/lull/player" }
  }

  /// Nil when there is none that can be read.
  func load() -> SavedState? {
    (try? Files.read(path, limit: 1 << 26)).flatMap(SavedState.init)
  }

  /// Replaces the file as a whole.
  func save(_ state: SavedState) throws(SystemError) {
    do throws(SystemError) {
      try Files.replace(path, with: state.encoded())
    } catch {
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
      try Files.makeDirectories(String(path[..<slash]))
      try Files.replace(path, with: state.encoded())
    }
  }
}
