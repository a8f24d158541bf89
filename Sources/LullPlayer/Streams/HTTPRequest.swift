internal import CCurl

/// One request of libcurl and the head of its response. libcurl must not hold the request any more when it is
/// released.
@safe final class HTTPRequest {
  private static let connectSeconds = 15
  private static let redirects = 8
  /// The most bytes of heads, with those of redirections.
  private static let longestHead = 1 << 18

  /// libcurl's handle.
  let easy: UnsafeMutableRawPointer
  private let onBytes: (UnsafeRawBufferPointer) -> Bool
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var aliases: UnsafeMutablePointer<curl_slist>?
  /// The response's head, once the body begins.
  private(set) var response: HTTPResponse?
  private var head = HTTPResponse()
  private var headBytes = 0

  /// A request for a URL, from a byte on; nil when there is no memory. `onBytes` gets the body piece by
  /// piece; when it takes no more, it returns false, and the transfer pauses.
  init?(_ url: String, from offset: Int64, onBytes: @escaping (UnsafeRawBufferPointer) -> Bool) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = easy
    unsafe self.onBytes = onBytes
    unsafe ccurl_set_text(easy, CURLOPT_URL, url)
    unsafe ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_USERAGENT, "lull-player")
    for (option, value) in [
      (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, Self.redirects), (CURLOPT_FAILONERROR, 1),
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_TCP_KEEPALIVE, 1),
    ] { unsafe ccurl_set_long(easy, option, value) }
    // A resumption would fail where the server cannot begin in the middle.
    if offset > 0 { unsafe ccurl_set_text(easy, CURLOPT_RANGE, "\(offset)-") }
    unsafe headers = curl_slist_append(nil, "Icy-MetaData: 1")
    unsafe ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers)
    // SHOUTcast's words for HTTP/1.0 200 OK.
    unsafe aliases = curl_slist_append(nil, "ICY 200 OK")
    unsafe ccurl_set_list(easy, CURLOPT_HTTP200ALIASES, aliases)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, curlWrites)
    unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, own)
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION, curlTakesHeader)
    unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, own)
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headers)
    unsafe curl_slist_free_all(aliases)
  }

  /// The end of the request that libcurl tells. A status 4xx is final: the server would send it again, except
  /// for 408, 416 and 429.
  func outcome(_ result: CURLcode) -> HTTPConnection.Outcome {
    guard result != CURLE_OK else { return .ended }
    let reason = unsafe String(cString: curl_easy_strerror(result))
    switch result {
    case CURLE_HTTP_RETURNED_ERROR:
      let isFinal = (400..<500).contains(head.status) && ![408, 416, 429].contains(head.status)
      return .failed("the server says \(head.status)", isFinal: isFinal)
    // A body is never refused, it only pauses.
    case CURLE_WRITE_ERROR: return .failed("the head of the answer has no end", isFinal: true)
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_TOO_MANY_REDIRECTS,
      CURLE_PEER_FAILED_VERIFICATION:
      return .failed(reason, isFinal: true)
    default: return .failed(reason, isFinal: false)
    }
  }

  fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if response == nil { response = head }
    return unsafe onBytes(bytes)
  }

  /// False: a head without end.
  fileprivate func takeHeader(_ bytes: [UInt8]) -> Bool {
    headBytes += bytes.count
    guard headBytes <= Self.longestHead else { return false }
    head.take(StreamText.decoded(bytes[...]))
    return true
  }
}

private func request(_ owner: UnsafeMutableRawPointer?) -> HTTPRequest? {
  unsafe owner.map { unsafe Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue() }
}

private func curlWrites(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, owner: UnsafeMutableRawPointer?
) -> Int {
  let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard let own = unsafe request(owner) else { return 0 }
  return unsafe own.take(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
}

private func curlTakesHeader(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, owner: UnsafeMutableRawPointer?
) -> Int {
  let text = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard let own = unsafe request(owner) else { return 0 }
  return unsafe own.takeHeader(Array(text)) ? text.count : 0
}
