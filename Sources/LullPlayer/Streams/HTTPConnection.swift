internal import CCurl
internal import LullSystem

/// One request at a time by libcurl, without ever waiting: everything that it waits for, its timers too, stands behind one
/// descriptor, which is held as a line while something is to come.
@safe final class HTTPConnection {
  /// How a request ended.
  enum Outcome: Equatable {
    /// With all bytes that were announced, or as the server wished.
    case ended
    /// Why, in one clause, and whether trying again may help.
    case failed(String, isFinal: Bool)
  }

  private let epoll: Epoll
  private let timer: Timer
  private let multi: UnsafeMutableRawPointer
  private var easy: UnsafeMutableRawPointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var aliases: UnsafeMutablePointer<curl_slist>?
  private var ready = ReadyList(capacity: 8)
  /// Moments of CLOCK_BOOTTIME: when libcurl and when the owner want to be called.
  private var due: Int64?
  private var alarm: Int64?
  /// The socket that bytes come from.
  private var socket: Int32?
  private var waitsForBytes: Int32 = 1
  /// What the server has said, once all of it has come.
  private(set) var response: HTTPResponse?
  private var head = HTTPResponse()
  /// Bytes of the body that nobody has taken.
  var body = ByteQueue()
  /// Nil while the request goes on.
  private(set) var outcome: Outcome?

  init() throws(SystemError) {
    epoll = try Epoll()
    timer = try Timer(.boottime)
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let multi = unsafe curl_multi_init()
    else { throw SystemError(code: 12, call: "curl_multi_init") }
    unsafe self.multi = multi
    try epoll.add(timer.raw, token: 0, interest: .readable)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_multi_set_socket_callback(multi, curlWatches, own)
    unsafe ccurl_multi_set_timer_callback(multi, curlSetsTimer, own)
  }

  deinit {
    stop()
    unsafe curl_multi_cleanup(multi)
  }

  /// Readable when ``drive()`` has something to do.
  var descriptor: Int32 { epoll.raw }

  /// Makes the descriptor readable at a moment of CLOCK_BOOTTIME; nil: not by time.
  func wake(at moment: Int64?) {
    alarm = moment
    arm()
  }

  /// Makes the descriptor readable only when so many bytes wait, or the connection ends.
  func wait(forBytes count: Int) {
    guard let socket else { return }
    let wanted = Int32(clamping: max(1, count))
    guard wanted != waitsForBytes else { return }
    waitsForBytes = wanted
    // Without it every segment wakes.
    try? Socket.setReceiveLowWater(socket, bytes: wanted)
  }

  /// Does what is ready, and takes what has come. False: nothing came.
  @discardableResult
  func drive() -> Bool {
    let before = body.count
    var running: Int32 = 0
    if (try? epoll.wait(into: &ready, timeoutMilliseconds: 0)) ?? 0 > 0 { _ = try? timer.expirations() }
    for index in 0..<ready.count where ready[index].token != 0 {
      let (token, readiness) = ready[index]
      let ended = !readiness.isDisjoint(with: [.hangUp, .error])
      let mask =
        (readiness.contains(.readable) || ended ? CURL_CSELECT_IN : 0)
        | (readiness.contains(.writable) ? CURL_CSELECT_OUT : 0)
      unsafe curl_multi_socket_action(multi, curl_socket_t(token - 1), Int32(mask), &running)
    }
    // Fewer bytes than were waited for make nothing readable.
    if let socket, waitsForBytes > 1 {
      unsafe curl_multi_socket_action(multi, socket, Int32(CURL_CSELECT_IN), &running)
    }
    if let due, due <= Clock.boottime() {
      self.due = nil
      unsafe curl_multi_socket_action(multi, curl_socket_t(-1), 0, &running)
    }
    noteEnd()
    arm()
    return body.count > before
  }

  private func noteEnd() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      outcome = unsafe describe(message.pointee.data.result)
    }
  }

  private func arm() {
    let moment = [due, alarm].compactMap(\.self).min()
    // Only a closed descriptor is refused.
    if let moment { _ = try? timer.arm(at: moment) } else { try? timer.disarm() }
  }
}

// One request.
extension HTTPConnection {
  private static let connectSeconds = 15
  private static let redirects = 8

  /// Asks for a URL, from a byte on; what went on before is broken off.
  func start(_ url: String, from offset: Int64) {
    stop()
    guard let easy = unsafe curl_easy_init() else {
      outcome = .failed("no memory", isFinal: true)
      return
    }
    unsafe self.easy = easy
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
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
    // What SHOUTcast says instead of HTTP/1.0 200 OK.
    unsafe aliases = curl_slist_append(nil, "ICY 200 OK")
    unsafe ccurl_set_list(easy, CURLOPT_HTTP200ALIASES, aliases)
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, curlWrites)
    unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, own)
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION, curlTakesHeader)
    unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, own)
    unsafe curl_multi_add_handle(multi, easy)
  }

  /// Breaks off what goes on.
  func stop() {
    (response, head, outcome, body) = (nil, HTTPResponse(), nil, ByteQueue())
    (socket, waitsForBytes) = (nil, 1)
    guard let easy = unsafe easy else { return }
    unsafe curl_multi_remove_handle(multi, easy)
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headers)
    unsafe curl_slist_free_all(aliases)
    unsafe (self.easy, headers, aliases) = (nil, nil, nil)
  }

  /// 4xx: the server will say so again, but for a time-out and too many requests.
  private func describe(_ result: CURLcode) -> Outcome {
    guard result != CURLE_OK else { return .ended }
    let reason = unsafe String(cString: curl_easy_strerror(result))
    switch result {
    case CURLE_HTTP_RETURNED_ERROR:
      let isFinal = (400..<500).contains(head.status) && ![408, 416, 429].contains(head.status)
      return .failed("the server says \(head.status)", isFinal: isFinal)
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_TOO_MANY_REDIRECTS,
      CURLE_PEER_FAILED_VERIFICATION:
      return .failed(reason, isFinal: true)
    default: return .failed(reason, isFinal: false)
    }
  }
}

// What libcurl calls.
extension HTTPConnection {
  fileprivate func take(_ bytes: UnsafeRawBufferPointer) {
    if response == nil { response = head }
    unsafe body.append(bytes)
  }

  fileprivate func takeHeader(_ line: String) {
    head.take(line)
  }

  fileprivate func watch(_ raw: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      try? epoll.remove(raw)
      if socket == raw { socket = nil }
      return
    }
    var interest: Interest = []
    if what & Int32(CURL_POLL_IN) != 0 { interest.insert(.readable) }
    if what & Int32(CURL_POLL_OUT) != 0 { interest.insert(.writable) }
    do throws(SystemError) {
      try epoll.add(raw, token: UInt64(raw) + 1, interest: interest)
    } catch {
      try? epoll.modify(raw, token: UInt64(raw) + 1, interest: interest)
    }
    if socket != raw { (socket, waitsForBytes) = (raw, 1) }
  }

  fileprivate func setTimer(milliseconds: Int) {
    due = milliseconds < 0 ? nil : Clock.boottime() + Int64(milliseconds) * 1_000_000
    arm()
  }
}

private func connection(_ owner: UnsafeMutableRawPointer?) -> HTTPConnection? {
  unsafe owner.map { unsafe Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue() }
}

private func curlWatches(
  _: UnsafeMutableRawPointer?, _ raw: curl_socket_t, _ what: Int32, _ owner: UnsafeMutableRawPointer?,
  _: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe connection(owner)?.watch(raw, what)
  return 0
}

private func curlSetsTimer(
  _: UnsafeMutableRawPointer?, _ milliseconds: Int, _ owner: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe connection(owner)?.setTimer(milliseconds: milliseconds)
  return 0
}

private func curlWrites(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
  unsafe connection(owner)?.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
  return size * count
}

private func curlTakesHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  unsafe connection(owner)?.takeHeader(StreamText.decoded(Array(line)[...]))
  return size * count
}
