package import LullSystem

/// The file of the saved state.
///
/// The place moves on while the rest stays, so it has a file of its own, `queue.place`, which is overwritten
/// in place. That costs a sleeping player no further wake-up, and works on a full disk.
package final class StateFile {
  let path: String
  /// The number of the state that was written last, without which a place means nothing.
  private var number: UInt64?

  package init(path: String) { self.path = path }

  private var placePath: String { path + ".place" }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `queue.unread`.
  package func load() throws(SystemError) -> SavedState? {
    let state = try peek()
    number = state?.number
    if state == nil, Files.exists(path) { try Files.rename(path, to: path + ".unread") }
    return state
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  package func peek() throws(SystemError) -> SavedState? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.read(path, limit: 1 << 26)
    } catch {
      if error.isNoSuchFile { return nil }
      throw error
    }
    var state = SavedState(bytes)
    if let place = try? Files.read(placePath, limit: 4096) { state?.take(place: place) }
    return state
  }

  /// Replaces the file as a whole; when that fails the old one is still there.
  package func save(_ state: SavedState) throws(SystemError) {
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
  package func savePlace(_ state: SavedState) throws(SystemError) {
    guard let number else { return try save(state) }
    var state = state
    state.number = number
    try Files.overwrite(placePath, with: state.encodedPlace())
  }
}
