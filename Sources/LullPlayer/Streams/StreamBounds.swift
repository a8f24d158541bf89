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
