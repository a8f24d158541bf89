internal import LullSystem

/// The bytes of a stream's sound: it follows playlists, takes the titles out, and connects again when the connection is lost,
/// at the byte where a file broke off.
final class StreamReceiver {
  enum State: Equatable {
    case connecting
    case receiving
    /// Until a moment of CLOCK_BOOTTIME; why it is not connected.
    case waiting(until: Int64, reason: String)
    case ended
    case failed(String)
  }

  /// In nanoseconds.
  struct Patience {
    /// So long a server may say nothing while bytes are waited for.
    var silence: Int64 = 20_000_000_000
    /// Before a lost connection is made again for the first time; it doubles up to thirty times as long.
    var retry: Int64 = 1_000_000_000
  }

  private static let longestWait: Int64 = 30
  /// Attempts for what has never brought a byte, and for a file that has.
  private static let (firstAttempts, fileAttempts) = (3, 10)
  private static let longestPlaylistChain = 3
  /// Bytes after which a connection counts as a good one.
  private static let goodBytes = 1 << 16

  private let connection: HTTPConnection
  private let patience: Patience
  private var urls: [String]
  private var playlists = 0
  private(set) var state = State.connecting
  private(set) var response: HTTPResponse?
  /// Counts the streams that began anew, for which a new decoder is needed.
  private(set) var generation = 0
  private var icy: IcyReader?
  /// The file's bytes that were taken, and those that come once more.
  private var offset: Int64 = 0
  private var surplus: Int64 = 0
  private var attempts = 0
  private var sinceConnected = 0
  private var hasBrought = false
  private var isRadio = false
  /// Since when bytes have been waited for in vain; nil: nobody waits for them.
  private var listensSince: Int64?
  private var alarm: Int64?

  init(_ url: String, _ patience: Patience = Patience()) throws(SystemError) {
    self.patience = patience
    connection = try HTTPConnection()
    urls = [url]
    connect()
  }

  /// Readable when ``advance()`` has something to do.
  var descriptor: Int32 { connection.descriptor }
  /// Whether it has no end and no beginning.
  var isLive: Bool { isRadio }
  /// What is heard, as the station has it.
  var title: String? { icy?.title }
  /// Bytes of the file; nil: not known.
  var length: Int64? { isLive ? nil : response?.length }

  /// Does what is ready.
  func advance() {
    let now = Clock.boottime()
    if case .waiting(let until, _) = state, now >= until { connect() }
    if connection.drive(), listensSince != nil { listensSince = now }
    if response == nil, let new = connection.response { accept(new) }
    settle(now)
  }

  /// From now on bytes are waited for, perhaps after a pause: readable when so many are there, or by a moment.
  func listen(forBytes count: Int, until moment: Int64?) {
    let now = Clock.boottime()
    listensSince = listensSince ?? now
    alarm = moment
    connection.wait(forBytes: count)
    settle(now)
  }

  /// Bytes are not waited for any more.
  func ignore() { (listensSince, alarm) = (nil, nil) }

  /// Takes at most so many bytes of sound that have come.
  func take(_ limit: Int) -> [UInt8] {
    guard case .receiving = state, !isReadingPlaylist else { return [] }
    let again = min(surplus, Int64(connection.body.count))
    _ = connection.body.take(Int(again))
    surplus -= again
    let bytes = connection.body.take(limit)
    offset += Int64(bytes.count)
    sinceConnected += bytes.count
    if sinceConnected > Self.goodBytes { attempts = 0 }
    if !bytes.isEmpty { hasBrought = true }
    let sound = icy?.sound(in: bytes) ?? Array(bytes)
    if connection.body.isEmpty { settle(Clock.boottime()) }
    return sound
  }

  /// Begins a file anew.
  func rewind() {
    (offset, attempts) = (0, 0)
    generation += 1
    connect()
  }

  func stop() {
    connection.stop()
    state = .ended
  }

  private func connect() {
    (state, response, icy, sinceConnected) = (.connecting, nil, nil, 0)
    let now = Clock.boottime()
    listensSince = now
    connection.start(urls[0], from: offset)
    connection.drive()
    settle(now)
  }

  private func accept(_ new: HTTPResponse) {
    response = new
    state = .receiving
    icy = new.metadataInterval.map { IcyReader(interval: $0) }
    // A server may not know how to begin in the middle.
    surplus = new.status == 206 ? 0 : offset
    isRadio = new.isLive && !isReadingPlaylist
  }
}

// What becomes of a connection.
extension StreamReceiver {
  private func settle(_ now: Int64) {
    if let outcome = connection.outcome, isReadingPlaylist || connection.body.isEmpty { end(outcome, now) }
    if isReadingPlaylist, connection.body.count > StreamPlaylist.limit { fail("a playlist that is too long") }
    if isSilent(now) { retry("the server is silent", now) }
    connection.wake(at: deadline)
  }

  private func isSilent(_ now: Int64) -> Bool {
    guard let listensSince, isListening, connection.outcome == nil, connection.body.isEmpty else {
      return false
    }
    return now - listensSince > patience.silence
  }

  private var isListening: Bool { state == .connecting || state == .receiving }

  private var deadline: Int64? {
    switch state {
    case .waiting(let until, _): until
    case .connecting, .receiving:
      [alarm, listensSince.map { $0 + patience.silence + 1 }].compactMap(\.self).min()
    case .ended, .failed: nil
    }
  }

  private func end(_ outcome: HTTPConnection.Outcome, _ now: Int64) {
    guard isListening else { return }
    switch outcome {
    case .ended where isReadingPlaylist: readPlaylist()
    case .ended:
      if response == nil { return retry("the server sends nothing", now) }
      let isWhole = !isLive && offset >= length ?? 0
      if isWhole { state = .ended } else { retry("the server has ended the connection", now) }
    case .failed(let reason, isFinal: true): giveUp(reason)
    case .failed(let reason, isFinal: false): retry(reason, now)
    }
  }

  /// Another URL of a playlist may be better.
  private func giveUp(_ reason: String) {
    guard urls.count > 1, !hasBrought else { return fail(reason) }
    urls.removeFirst()
    connect()
  }

  private func fail(_ reason: String) {
    connection.stop()
    state = .failed(reason)
  }

  /// A radio is tried for as long as it is to be heard.
  private func retry(_ reason: String, _ now: Int64) {
    attempts += 1
    if !hasBrought && attempts >= Self.firstAttempts || !isLive && attempts >= Self.fileAttempts {
      return giveUp(reason)
    }
    if isLive {
      offset = 0
      generation += 1
    }
    let wait = min(Self.longestWait, 1 << Int64(min(attempts - 1, 5)))
    connection.stop()
    state = .waiting(until: now + wait * patience.retry, reason: reason)
  }
}

// Playlists.
extension StreamReceiver {
  private var isReadingPlaylist: Bool {
    response.map { StreamPlaylist.isPlaylist($0, url: urls[0]) } ?? false
  }

  private func readPlaylist() {
    let text = StreamText.decoded(connection.body.prefix(StreamPlaylist.limit))
    if StreamPlaylist.isSegmented(text) { return fail("HLS cannot be played") }
    let found = StreamPlaylist.urls(in: text, at: urls[0])
    playlists += 1
    guard !found.isEmpty else { return fail("a playlist without a stream") }
    guard playlists <= Self.longestPlaylistChain else { return fail("playlists that lead nowhere") }
    urls = found
    connect()
  }
}
