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
