internal import CCurl
internal import LullWire

/// The URL of a stream, with the URLs that playlists on the way to it have named.
struct StreamAddress {
  private static let longestChain = 3
  /// The longest playlist, in bytes.
  static let longestPlaylist = 1 << 16

  private var urls: [String]
  private var playlists = 0

  init(_ url: String) { urls = [url] }

  var current: String { urls[0] }

  mutating func giveUp() -> Bool {
    guard urls.count > 1 else { return false }
    urls.removeFirst()
    return true
  }

  func isPlaylist(_ response: HTTPResponse) -> Bool {
    let type = response.contentType
    if type.holds("mpegurl") || type.holds("scpls") { return true }
    let path = current.prefix { $0 != "?" && $0 != "#" }.lowercased()
    let isNamedSo = [".m3u", ".m3u8", ".pls"].contains { path.hasSuffix($0) }
    return isNamedSo && !type.hasPrefix("audio/mpeg")
  }

  /// Returns the reason why the playlist leads nowhere, in one clause.
  mutating func follow(playlist bytes: [UInt8]) -> String? {
    // A stream in segments of a few seconds.
    if bytes.holds("#EXT-X-".utf8) { return "HLS cannot be played" }
    let found = Playlist.names(bytes).compactMap { name in
      Self.resolved(StreamText.decoded(name), at: current)
    }.filter(MediaLocation.isStream)
    playlists += 1
    guard !found.isEmpty else { return "a playlist without a stream" }
    guard playlists <= Self.longestChain else { return "playlists that lead nowhere" }
    urls = found
    return nil
  }

  /// A reference resolved against the URL where it was found (RFC 3986, 5).
  private static func resolved(_ reference: String, at base: String) -> String? {
    guard let url = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(url) }
    guard unsafe curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK,
      unsafe curl_url_set(url, CURLUPART_URL, reference, UInt32(CURLU_URLENCODE)) == CURLUE_OK
    else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }
}
