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
