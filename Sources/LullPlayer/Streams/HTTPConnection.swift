internal import CCurl
internal import LullSystem

/// One request at a time by libcurl, which never blocks. All sockets and timers of libcurl stand behind one
/// descriptor, which is held as a line while something is to come.
@safe final class HTTPConnection {
  enum Outcome: Equatable {
    /// All announced bytes came, or the server ended the response.
    case ended
    /// The reason in one clause; `isFinal` when trying again cannot help.
    case failed(String, isFinal: Bool)
  }

  private static let connectSeconds = 15
  private static let redirects = 8
  /// The most bytes of heads, with those of redirections.
  private static let longestHead = 1 << 18
  /// The most bytes of the body that wait: above them the transfer pauses, and the server is held up by TCP.
  private static let mostWaiting = 1 << 20

  private let epoll: Epoll
  private let timer: Timer
  private let multi: UnsafeMutableRawPointer
  /// The request, in `multi` while it goes on.
  private let easy: UnsafeMutableRawPointer
  private var isActive = false
  private var fields: UnsafeMutablePointer<curl_slist>?
  /// SHOUTcast's words for HTTP/1.0 200 OK.
  private let aliases = unsafe curl_slist_append(nil, "ICY 200 OK")
  private var ready = ReadyList(capacity: 8)
  /// Moments of CLOCK_BOOTTIME at which libcurl and the owner want to be called.
  private var due: Int64?
  private var alarm: Int64?
  private var socket: Int32?
  private var waitsForBytes: Int32 = 1
  private var head = HTTPResponse()
  private var headBytes = 0
  /// The response's head, once the body begins.
  private(set) var response: HTTPResponse?
  private(set) var body = WaitingQueue<UInt8>()
  /// The bytes that have come off the sockets of all requests, whatever libcurl has made of them.
  private(set) var received: Int64 = 0
  /// The bytes of the last socket that were counted; the next request may go on with it.
  private var counted: (socket: Int32, bytes: Int64)?
  private(set) var isPaused = false
  /// Nil while the request goes on.
  private(set) var outcome: Outcome?

  init() throws(SystemError) {
    epoll = try Epoll()
    timer = try Timer(.boottime)
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let easy = unsafe curl_easy_init(),
      let multi = unsafe curl_multi_init()
    else { throw SystemError(code: 12, call: "curl_multi_init") }
    unsafe (self.multi, self.easy) = unsafe (multi, easy)
    unsafe fields = curl_slist_append(nil, "Icy-MetaData: 1")
    try epoll.add(timer.raw, token: 0, interest: .readable)
    setOptions()
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_multi_set_socket_callback(
      multi,
      { _, raw, what, owner, _ in
        unsafe connection(owner)?.watch(raw, what)
        return 0
      }, own)
    unsafe ccurl_multi_set_timer_callback(
      multi,
      { _, milliseconds, owner in
        unsafe connection(owner)?.setTimer(milliseconds: milliseconds)
        return 0
      }, own)
  }

  deinit {
    stop()
    unsafe curl_easy_cleanup(easy)
    unsafe curl_multi_cleanup(multi)
    unsafe curl_slist_free_all(fields)
    unsafe curl_slist_free_all(aliases)
  }

  private func setOptions() {
    unsafe ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    unsafe ccurl_set_text(easy, CURLOPT_USERAGENT, "lull-player")
    for (option, value) in [
      (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, Self.redirects), (CURLOPT_FAILONERROR, 1),
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_TCP_KEEPALIVE, 1),
    ] { unsafe ccurl_set_long(easy, option, value) }
    unsafe ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields)
    unsafe ccurl_set_list(easy, CURLOPT_HTTP200ALIASES, aliases)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
      let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      return unsafe connection(owner)?.take(bytes) ?? 0
    }
    unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, own)
    unsafe ccurl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
      let line = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: size * count))
      return unsafe connection(owner)?.take(line: line) ?? 0
    }
    unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, own)
  }

  /// Readable when ``drive()`` has something to do.
  var descriptor: Int32 { epoll.raw }

  /// Makes the descriptor readable at a moment of CLOCK_BOOTTIME; nil for never.
  func wake(at moment: Int64?) {
    alarm = moment
    arm()
  }

  /// Takes at most `count` bytes of the body. A transfer that pauses goes on when half of them are gone.
  func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = body.take(count)
    if isPaused, body.count < Self.mostWaiting / 2 {
      isPaused = false
      unsafe ccurl_go_on(easy)
    }
    return taken
  }

  /// Makes the descriptor readable only when `count` bytes wait, or the connection ends.
  func wait(forBytes count: Int) {
    guard let socket else { return }
    let wanted = Int32(clamping: max(1, count))
    guard wanted != waitsForBytes else { return }
    waitsForBytes = wanted
    // Without this mark every segment wakes the program.
    try? Socket.setReceiveLowWater(socket, bytes: wanted)
  }

  /// Breaks off an earlier request.
  func start(_ url: String, from offset: Int64) {
    stop()
    unsafe ccurl_set_text(easy, CURLOPT_URL, url)
    // A resumption would fail where the server cannot begin in the middle.
    unsafe ccurl_set_text(easy, CURLOPT_RANGE, offset > 0 ? "\(offset)-" : nil)
    unsafe curl_multi_add_handle(multi, easy)
    isActive = true
  }

  func stop() {
    if isActive { unsafe curl_multi_remove_handle(multi, easy) }
    (isActive, outcome, body, isPaused) = (false, nil, WaitingQueue(), false)
    (head, headBytes, response) = (HTTPResponse(), 0, nil)
    (socket, waitsForBytes) = (nil, 1)
  }

  /// Does the work that is ready, and takes the bytes that have come. Returns false when none came.
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
    // Fewer bytes than the low-water mark do not make the socket readable.
    if let socket, waitsForBytes > 1 {
      unsafe curl_multi_socket_action(multi, socket, Int32(CURL_CSELECT_IN), &running)
    }
    if let due, due <= Clock.boottime() {
      self.due = nil
      unsafe curl_multi_socket_action(multi, curl_socket_t(-1), 0, &running)
    }
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      if unsafe message.pointee.msg == CURLMSG_DONE { outcome = unsafe outcome(message.pointee.data.result) }
    }
    count()
    arm()
    return body.count > before
  }

  /// Counts what has come off the socket. libcurl tells neither of the extensions of chunks nor of the bodies
  /// of redirections, which may have no end.
  private func count() {
    guard let socket, let all = try? Socket.tcpActivity(socket).received,
      let unread = try? Socket.unreadBytes(socket)
    else { return }
    let (taken, before) = (all - Int64(unread), counted?.socket == socket ? counted?.bytes ?? 0 : 0)
    // Another connection may have got the number of one that was closed.
    received += taken >= before ? taken - before : taken
    counted = (socket, taken)
  }

  /// The end that libcurl tells. A status 4xx is final: the server would send it again, except for 408, 416
  /// and 429.
  private func outcome(_ result: CURLcode) -> Outcome {
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

  private func arm() {
    let moment = [due, alarm].compactMap(\.self).min()
    // Only a closed descriptor is refused.
    if let moment { _ = try? timer.arm(at: moment) } else { try? timer.disarm() }
  }

  /// Returns the number of bytes that were taken; a transfer that pauses brings them once more.
  fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    if response == nil { response = head }
    isPaused = body.count >= Self.mostWaiting
    if !isPaused { unsafe body.append(bytes) }
    return isPaused ? Int(CURL_WRITEFUNC_PAUSE) : bytes.count
  }

  /// Returns 0 for a head that has no end.
  fileprivate func take(line: [UInt8]) -> Int {
    headBytes += line.count
    guard headBytes <= Self.longestHead else { return 0 }
    head.take(StreamText.decoded(line[...]))
    return line.count
  }

  fileprivate func watch(_ raw: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      count()
      try? epoll.remove(raw)
      if socket == raw { socket = nil }
      return
    }
    let interest: Interest = [
      what & Int32(CURL_POLL_IN) != 0 ? .readable : [], what & Int32(CURL_POLL_OUT) != 0 ? .writable : [],
    ]
    do throws(SystemError) {
      try epoll.add(raw, token: UInt64(raw) + 1, interest: interest)
    } catch {
      try? epoll.modify(raw, token: UInt64(raw) + 1, interest: interest)
    }
    guard socket != raw else { return }
    (socket, waitsForBytes) = (raw, 1)
    // A socket that comes back after a pause has its old mark.
    try? Socket.setReceiveLowWater(raw, bytes: 1)
  }

  fileprivate func setTimer(milliseconds: Int) {
    due = milliseconds < 0 ? nil : Clock.boottime() + Int64(milliseconds) * 1_000_000
    arm()
  }
}

private func connection(_ owner: UnsafeMutableRawPointer?) -> HTTPConnection? {
  unsafe owner.map { unsafe Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue() }
}
