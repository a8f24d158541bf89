internal import LullSystem

/// The bytes of a stream's sound: the receiver follows playlists, takes the titles out, and reconnects after
/// a loss, at the byte where a file broke off.
final class StreamReceiver {
  enum State: Equatable {
    case connecting
    case receiving
    /// Not connected until a moment of CLOCK_BOOTTIME, for this reason.
    case waiting(until: Int64, reason: String)
    case ended
    case failed(String)
  }

  /// Times to wait, in nanoseconds.
  struct Patience {
    /// The time that a server may be silent while bytes are waited for.
    var silence: Int64 = 20_000_000_000
    /// The time before the first attempt to reconnect; it doubles, up to thirty times as long.
    var retry: Int64 = 1_000_000_000
  }

  private let connection: HTTPConnection
  private let retryWait: Int64
  private var address: StreamAddress
  private var attempts = ConnectionAttempts()
  private var wait: ByteWait
  private var debt = ByteDebt()
  private(set) var state = State.connecting
  private(set) var response: HTTPResponse?
  /// The count of new beginnings of the stream; each needs a new decoder.
  private(set) var generation = 0
  private var icy: IcyReader?
  /// The count of the file's bytes that were taken, and of those that come once more.
  private var offset: Int64 = 0
  private var surplus: Int64 = 0

  init(_ url: String, _ patience: Patience = Patience()) throws(SystemError) {
    retryWait = patience.retry
    wait = ByteWait(patience: patience.silence)
    connection = try HTTPConnection()
    address = StreamAddress(url)
    connect()
  }

  /// Readable when ``advance()`` has something to do.
  var descriptor: Int32 { connection.descriptor }
  /// True for a radio, which has no end and no beginning.
  private(set) var isLive = false
  var title: String? { icy?.title }
  /// The length of the file in bytes; nil when it is not known.
  var length: Int64? { isLive ? nil : response?.length }
  var isPaused: Bool { connection.isPaused }

  func advance() {
    let now = Clock.boottime()
    if case .waiting(let until, _) = state, now >= until { connect() }
    if connection.drive() { wait.noteBytes(at: now) }
    if response == nil, let new = connection.response { accept(new) }
    settle(now)
  }

  /// Waits for bytes from now on, perhaps after a pause: the descriptor is readable when `count` bytes are
  /// there, or at the moment.
  func listen(forBytes count: Int, until moment: Int64?) {
    let now = Clock.boottime()
    wait.begin(at: now, until: moment)
    connection.wait(forBytes: count)
    settle(now)
  }

  func ignore() { wait.end() }

  /// Takes at most `limit` bytes that have come, and returns the sound among them.
  func take(_ limit: Int) -> [UInt8] {
    guard case .receiving = state, !isReadingPlaylist else { return [] }
    let again = min(surplus, Int64(connection.body.count))
    _ = connection.take(Int(again))
    surplus -= again
    debt.pay(again)
    let bytes = connection.take(limit)
    offset += Int64(bytes.count)
    attempts.noteReceived(bytes.count)
    let sound = icy?.sound(in: bytes) ?? Array(bytes)
    if connection.body.isEmpty { settle(Clock.boottime()) }
    return sound
  }

  /// Takes note of what was decoded, so that the stream may go on: its bytes are to bring sound.
  func noteDecoded(samples: Int) { debt.noteDecoded(samples: samples) }

  func rewind() {
    offset = 0
    debt.pay(debt.bytes)
    attempts.forgive()
    generation += 1
    connect()
  }

  private func connect() {
    (state, response, icy) = (.connecting, nil, nil)
    attempts.noteConnecting()
    let now = Clock.boottime()
    wait.restart(at: now)
    connection.start(address.current, from: offset)
    connection.drive()
    settle(now)
  }

  private func accept(_ new: HTTPResponse) {
    response = new
    state = .receiving
    icy = new.metadataInterval.map { IcyReader(interval: $0) }
    // A server without ranges sends the whole file again.
    surplus = new.status == 206 ? 0 : offset
    isLive = new.isLive && !isReadingPlaylist
  }

  private func settle(_ now: Int64) {
    debt.note(received: connection.received)
    if isListening, debt.isTooLarge { fail(DecodeStep.silence) }
    if let outcome = connection.outcome, isReadingPlaylist || connection.body.isEmpty { end(outcome, now) }
    if isReadingPlaylist, connection.body.count > StreamAddress.longestPlaylist {
      fail("a playlist that is too long")
    }
    if isListening, connection.outcome == nil, connection.body.isEmpty, wait.isInVain(at: now) {
      retry("the server is silent", now)
    }
    switch state {
    case .waiting(let until, _): connection.wake(at: until)
    case .connecting, .receiving: connection.wake(at: wait.deadline)
    case .ended, .failed: connection.wake(at: nil)
    }
  }

  private var isListening: Bool { state == .connecting || state == .receiving }

  private func end(_ outcome: HTTPConnection.Outcome, _ now: Int64) {
    guard isListening else { return }
    switch outcome {
    case .ended where isReadingPlaylist:
      let bytes = connection.body.prefix(StreamAddress.longestPlaylist)
      if let reason = address.follow(playlist: Array(bytes)) { fail(reason) } else { connect() }
    case .ended:
      if response == nil { return retry("the server sends nothing", now) }
      let isWhole = !isLive && offset >= length ?? 0
      if isWhole { state = .ended } else { retry("the server has ended the connection", now) }
    case .failed(let reason, isFinal: true): giveUp(reason)
    case .failed(let reason, isFinal: false): retry(reason, now)
    }
  }

  private func giveUp(_ reason: String) {
    guard !attempts.hasBrought, address.giveUp() else { return fail(reason) }
    connect()
  }

  private func fail(_ reason: String) {
    connection.stop()
    state = .failed(reason)
  }

  private func retry(_ reason: String, _ now: Int64) {
    guard let times = attempts.waitAfterFailure(isLive: isLive) else { return giveUp(reason) }
    if isLive {
      offset = 0
      generation += 1
    }
    debt.pay(Int64(connection.body.count))
    connection.stop()
    state = .waiting(until: now + times * retryWait, reason: reason)
  }

  private var isReadingPlaylist: Bool { response.map(address.isPlaylist) ?? false }
}

/// The bytes of a stream that no sound accounts for. A hostile server can send without end what is no sound:
/// extensions of chunks, bodies of redirections, titles, anything between two frames.
struct ByteDebt {
  /// The most: a tag with its pictures, and what waits to be decoded.
  static let most = Int64(DecodeStep.mostSilentBytes) + (1 << 20)
  /// No format takes more bytes for a sample.
  private static let perSample: Int64 = 8

  private(set) var bytes: Int64 = 0
  private var received: Int64 = 0

  mutating func note(received all: Int64) {
    bytes += all - received
    received = all
  }

  mutating func noteDecoded(samples: Int) { pay(Int64(samples) * Self.perSample) }

  /// Accounts for bytes that are no fault of the server's.
  mutating func pay(_ count: Int64) { bytes = max(0, bytes - count) }

  var isTooLarge: Bool { bytes > Self.most }
}

/// The wait for bytes of a stream. All times are in nanoseconds of CLOCK_BOOTTIME.
struct ByteWait {
  let patience: Int64
  /// The moment since which bytes have been waited for in vain; nil while they are not waited for.
  private var since: Int64?
  private var alarm: Int64?

  init(patience: Int64) { self.patience = patience }

  /// Begins to wait, or goes on; `moment` is when the waiter wants to be called all the same.
  mutating func begin(at now: Int64, until moment: Int64?) { (since, alarm) = (since ?? now, moment) }

  mutating func restart(at now: Int64) { since = now }

  mutating func noteBytes(at now: Int64) { if since != nil { since = now } }

  mutating func end() { (since, alarm) = (nil, nil) }

  func isInVain(at now: Int64) -> Bool { since.map { now - $0 > patience } ?? false }

  var deadline: Int64? { [alarm, since.map { $0 + patience + 1 }].compactMap(\.self).min() }
}

/// Counts the attempts to connect to a stream, and decides whether another one is worth while.
struct ConnectionAttempts {
  private static let longestWait: Int64 = 30
  /// The attempts for a stream that has never brought a byte, and for a file that has.
  private static let (firstAttempts, fileAttempts) = (3, 10)
  /// The bytes after which a connection counts as good.
  private static let goodBytes = 1 << 16

  private var failed = 0
  private var sinceConnected = 0
  private(set) var hasBrought = false

  mutating func noteConnecting() { sinceConnected = 0 }

  mutating func noteReceived(_ count: Int) {
    sinceConnected += count
    if sinceConnected > Self.goodBytes { failed = 0 }
    if count > 0 { hasBrought = true }
  }

  /// Forgets the attempts that failed: the file is begun anew.
  mutating func forgive() { failed = 0 }

  /// Notes a failed attempt, and returns the wait before the next one in times of the first wait; nil when
  /// there is no next one. A radio is tried without limit, a file a number of times.
  mutating func waitAfterFailure(isLive: Bool) -> Int64? {
    failed += 1
    guard hasBrought || failed < Self.firstAttempts, isLive || failed < Self.fileAttempts else { return nil }
    return min(Self.longestWait, 1 << Int64(min(failed - 1, 5)))
  }
}
