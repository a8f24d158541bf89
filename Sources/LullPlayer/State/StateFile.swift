public import LullSystem
internal import LullWire

/// The file of the saved state: `$XDG_STATE_HOME/lull/player`, else `/var/lib/lull/player` for root, else
/// `~/.local/state/lull/player` (XDG Base Directory Specification).
///
/// The place moves on while the rest stays, so it has a file of its own, `player.place`, which is overwritten
/// in place. That costs a sleeping player no further wake-up, and works on a full disk.
public final class StateFile {
  /// The file's absolute path.
  public let path: String
  /// The number of the state that was written last, without which a place means nothing.
  private var number: UInt64?

  /// A file at this path.
  public init(path: String) { self.path = path }

  /// The user's file; nil when the user has no home directory.
  public static func standard() -> StateFile? {
    path(uid: Identity.uid(), home: Identity.home(), environment: Identity.environment).map {
      StateFile(path: $0)
    }
  }

  static func path(uid: UInt32, home: String?, environment: (String) -> String?) -> String? {
    // The specification says to ignore relative paths.
    if let given = environment("XDG_STATE_HOME"), given.hasPrefix("/") { return given + "/lull/player" }
    if uid == 0 { return "/var/lib/lull/player" }
    return home.map { $0 + "/.local/state/lull/player" }
  }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `player.unread`.
  public func load() throws(SystemError) -> SavedState? {
    if let state = try peek() {
      number = state.number
      return state
    }
    if Files.exists(path) { try Files.rename(path, to: path + ".unread") }
    return nil
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  public func peek() throws(SystemError) -> SavedState? {
    guard let bytes = try read(path, limit: 1 << 26), var state = SavedState(bytes) else { return nil }
    if let place = try? read(placePath, limit: 4096) { state.take(place: place) }
    return state
  }

  /// Replaces the file as a whole; when that fails the old one is still there.
  public func save(_ state: SavedState) throws(SystemError) {
    var state = state
    state.number = UInt64.random(in: 0...UInt64.max)
    do throws(SystemError) {
      try Files.replace(path, with: state.encoded())
    } catch {
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
      try Files.makeDirectories(String(path[..<slash]))
      try Files.replace(path, with: state.encoded())
    }
    number = state.number
  }

  /// Remembers the place alone, in the queue that was saved last.
  public func savePlace(_ state: SavedState) throws(SystemError) {
    guard let number else { return try save(state) }
    var state = state
    state.number = number
    try Files.overwrite(placePath, with: state.encodedPlace())
  }

  private var placePath: String { path + ".place" }

  private func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try Files.read(path, limit: limit)
    } catch {
      if error.isNoSuchFile { return nil }
      throw error
    }
  }
}
