/// The wait before a new attempt to connect: 1 s, doubled up to 60 s.
struct Backoff {
  private static let longest = 60
  /// Waits up to this are worth staying awake for; after longer ones the phone tries again at its next wake.
  private static let longestAwake = 32
  private var last = 0

  /// The next wait in seconds.
  mutating func next() -> Int {
    last = last == 0 ? 1 : min(2 * last, Backoff.longest)
    return last
  }

  /// Whether the phone stays awake for the last wait.
  var staysAwake: Bool { last <= Backoff.longestAwake }

  mutating func reset() { last = 0 }
}
