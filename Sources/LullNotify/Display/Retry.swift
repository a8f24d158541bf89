/// The moment of the next try of something; the wait doubles with each. Moments are nanoseconds.
struct Retry {
  private static let first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000

  private var wait = Retry.first
  private(set) var due: Int64?

  mutating func plan(at now: Int64) {
    guard due == nil else { return }
    due = now + wait
    wait = min(2 * wait, Self.longest)
  }

  mutating func take(at now: Int64) -> Bool {
    guard let planned = due, planned <= now else { return false }
    due = nil
    return true
  }

  /// The next wait is the first one again; what is planned stays.
  mutating func rest() { wait = Self.first }
}
