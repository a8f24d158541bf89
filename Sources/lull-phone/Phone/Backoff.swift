/// The wait before a new attempt to connect: 1 s, doubled up to 60 s.
struct Backoff {
  private static let longest = 60
  /// The longest wait that the phone spends awake; after a longer one it tries again at its next wake.
  private static let longestAwake = 32
  private var last = 0

  /// The next wait in seconds.
  mutating func next() -> Int {
    last = last == 0 ? 1 : min(2 * last, Backoff.longest)
    return last
  }

  /// True when the phone stays awake for the last wait.
  var staysAwake: Bool { last <= Backoff.longestAwake }

  mutating func reset() { last = 0 }
}
