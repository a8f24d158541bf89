/// The wait before a new attempt to connect: 1 s, doubled up to 10 minutes.
struct Backoff {
  private static let longest = 600
  /// The longest wait that the phone spends awake; for the attempt after a longer one it is woken.
  private static let longestAwake = 8
  private var last = 0

  /// The next wait in seconds.
  mutating func next() -> Int {
    last = last == 0 ? 1 : min(2 * last, Backoff.longest)
    return last
  }

  var staysAwake: Bool { last <= Backoff.longestAwake }

  mutating func reset() { last = 0 }
}
