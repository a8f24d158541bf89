/// The URL of a stream, with the URLs that playlists on the way to it have named.
struct StreamAddress {
  private static let longestChain = 3

  /// The result of reading a playlist.
  enum Step {
    case found
    /// The reason why the playlist leads nowhere, in one clause.
    case failed(String)
  }

  private var urls: [String]
  private var playlists = 0

  init(_ url: String) { urls = [url] }

  var current: String { urls[0] }

  /// Goes on to the next URL of the playlist; false when there is none.
  mutating func giveUp() -> Bool {
    guard urls.count > 1 else { return false }
    urls.removeFirst()
    return true
  }

  /// Follows the playlist at the current URL.
  mutating func follow(playlist text: String) -> Step {
    if StreamPlaylist.isSegmented(text) { return .failed("HLS cannot be played") }
    let found = StreamPlaylist.urls(in: text, at: current)
    playlists += 1
    guard !found.isEmpty else { return .failed("a playlist without a stream") }
    guard playlists <= Self.longestChain else { return .failed("playlists that lead nowhere") }
    urls = found
    return .found
  }
}
