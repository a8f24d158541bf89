internal import CCurl

/// A playlist that a server sends instead of sound: it names the stream's URLs.
enum StreamPlaylist {
  /// The longest playlist, in bytes.
  static let limit = 1 << 16

  /// True when a response is a playlist.
  static func isPlaylist(_ response: HTTPResponse, url: String) -> Bool {
    let type = response.contentType
    if type.contains("mpegurl") || type.contains("scpls") { return true }
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    let isNamedSo = [".m3u", ".m3u8", ".pls"].contains { path.hasSuffix($0) }
    return isNamedSo && !type.hasPrefix("audio/mpeg")
  }

  /// The URLs in a playlist, in order; those without a scheme are relative to the playlist.
  static func urls(in text: String, at base: String) -> [String] {
    let lines = text.split { $0.isNewline }.map { StreamText.trimmed(String($0)) }
    let isPls = lines.first?.lowercased() == "[playlist]"
    let entries = lines.compactMap { line -> String? in
      guard isPls else { return line.isEmpty || line.hasPrefix("#") ? nil : line }
      guard line.lowercased().hasPrefix("file"), let equals = line.firstIndex(of: "=") else { return nil }
      return StreamText.trimmed(String(line[line.index(after: equals)...]))
    }
    return entries.compactMap { resolved($0, at: base) }.filter(Location.isStream)
  }

  /// True for a stream in segments of a few seconds (HLS), which cannot be played.
  static func isSegmented(_ text: String) -> Bool { text.contains("#EXT-X-") }

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
