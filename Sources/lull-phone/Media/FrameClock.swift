import Lull
import LullSystem

/// Calls its handler when frames are due, for sources and sinks that have no clock of their own.
final class FrameClock {
  private let timer: Timer
  private var pace: Pace
  private var watch: Watch?
  private let handler: (Pace.Due) -> Void

  init(_ application: Application, step: Int64 = Pace.frame, handler: @escaping (Pace.Due) -> Void) throws {
    self.handler = handler
    timer = try Timer(.boottime)
    pace = Pace(startingAt: Clock.boottime(), step: step)
    watch = try application.watch(timer.raw) { [weak self] in self?.elapsed() }
    try timer.arm(at: pace.next)
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  private func elapsed() {
    guard (try? timer.expirations()) != nil else { return }
    let due = pace.due(at: Clock.boottime())
    // This fails only for an impossible time.
    _ = try? timer.arm(at: pace.next)
    if due.frames > 0 { handler(due) }
  }
}

/// The times when frames are due: every 20 ms after the beginning, or every step, on absolute times, so that
/// nothing drifts. Times are in nanoseconds.
struct Pace {
  static let frame: Int64 = 20_000_000
  /// Frames that are later (200 ms) are left out instead of being sent in one burst.
  private static let patience: Int64 = 10 * frame

  struct Due: Equatable {
    var frames: Int
    /// They were left out before the others.
    var skipped: Int
  }

  private(set) var next: Int64

  private let step: Int64

  init(startingAt start: Int64, step: Int64 = Pace.frame) { (next, self.step) = (start + step, step) }

  mutating func due(at now: Int64) -> Due {
    guard now >= next else { return Due(frames: 0, skipped: 0) }
    let count = (now - next) / step + 1
    next += count * step
    return count * step <= Pace.patience
      ? Due(frames: Int(count), skipped: 0) : Due(frames: 1, skipped: Int(count - 1))
  }
}
