public import LullSystem

/// The file of the saved state.
///
/// The place moves on while the rest stays, so it has a file of its own, `queue.place`, which is overwritten
/// in place. That costs a sleeping player no further wake-up, and works on a full disk.
public final class StateFile {
  /// The file's absolute path.
  public let path: String
  /// The number of the state that was written last, without which a place means nothing.
  private var number: UInt64?

  /// A file at this path.
  public init(path: String) { self.path = path }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `queue.unread`.
  public func load() throws(SystemError) -> SavedState? {
    if let state = try read(path) {
      number = state.number
      return state
    }
    guard Files.exists(path) else { return nil }
    try Files.rename(path, to: path + ".unread")
    return nil
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  public func peek() throws(SystemError) -> SavedState? { try read(path) }

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
