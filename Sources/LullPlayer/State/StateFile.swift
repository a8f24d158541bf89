public import LullSystem

/// The file of the saved state. A file of an older version, in `$XDG_STATE_HOME/lull/player`, else
/// `/var/lib/lull/player` for root, else `~/.local/state/lull/player`, is read where there is no other one.
///
/// The place moves on while the rest stays, so it has a file of its own, `queue.place`, which is overwritten
/// in place. That costs a sleeping player no further wake-up, and works on a full disk.
public final class StateFile {
  /// The file's absolute path.
  public let path: String
  /// The number of the state that was written last, without which a place means nothing.
  private var number: UInt64?
  /// The file of an older version.
  private let older: String?

  /// A file at this path; `older` is read where it is missing.
  public init(path: String, older: String? = nil) { (self.path, self.older) = (path, older) }

  /// The file in the folder for what the player keeps.
  public convenience init(folder: String) {
    self.init(
      path: folder + "/queue",
      older: Self.olderPath(uid: Identity.uid(), home: Identity.home(), environment: Identity.environment))
  }

  static func olderPath(uid: UInt32, home: String?, environment: (String) -> String?) -> String? {
    // The specification says to ignore relative paths.
    if let given = environment("XDG_STATE_HOME"), given.hasPrefix("/") { return given + "/lull/player" }
    if uid == 0 { return "/var/lib/lull/player" }
    return home.map { $0 + "/.local/state/lull/player" }
  }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `queue.unread`.
  public func load() throws(SystemError) -> SavedState? {
    if let state = try read(path) {
      number = state.number
      return state
    }
    guard Files.exists(path) else { return try readOlder() }
    try Files.rename(path, to: path + ".unread")
    return nil
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  public func peek() throws(SystemError) -> SavedState? {
    if let state = try read(path) { return state }
    return Files.exists(path) ? nil : try readOlder()
  }

  private func readOlder() throws(SystemError) -> SavedState? {
    guard let older else { return nil }
    return try read(older)
  }

  private func read(_ path: String) throws(SystemError) -> SavedState? {
    guard let bytes = try read(path, limit: 1 << 26), var state = SavedState(bytes) else { return nil }
    if let place = try? read(path + Self.placeSuffix, limit: 4096) { state.take(place: place) }
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
    try Files.overwrite(path + Self.placeSuffix, with: state.encodedPlace())
  }

  private static let placeSuffix = ".place"

  private func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try Files.read(path, limit: limit)
    } catch {
      if error.isNoSuchFile { return nil }
      throw error
    }
  }
}
