/// The times when frames are due: every 20 ms after the beginning, or every step, on absolute times, so that
/// nothing drifts. Times are in nanoseconds.
struct Pace {
  static let frame: Int64 = 20_000_000
  /// The lateness (200 ms) beyond which due frames are left out instead of being sent in one burst.
  private static let patience: Int64 = 10 * frame

  struct Due: Equatable {
    var frames: Int
    /// The frames that were left out before them.
    var skipped: Int
  }

  private(set) var next: Int64

  private let step: Int64

  init(startingAt start: Int64, step: Int64 = Pace.frame) {
    (next, self.step) = (start + step, step)
  }

  mutating func due(at now: Int64) -> Due {
    guard now >= next else { return Due(frames: 0, skipped: 0) }
    let count = (now - next) / step + 1
    next += count * step
    return count * step <= Pace.patience
      ? Due(frames: Int(count), skipped: 0) : Due(frames: 1, skipped: Int(count - 1))
  }
}
