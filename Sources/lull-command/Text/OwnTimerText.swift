/// A command's own timers for people.
enum OwnTimerText {
  /// For example `due for 40 s`, `in 3 min`.
  static func cell(_ timer: OwnTimerReport) -> String {
    timer.dueInSeconds > 0
      ? "in \(DurationText.text(seconds: timer.dueInSeconds))"
      : "due for \(DurationText.text(seconds: -timer.dueInSeconds))"
  }

  /// For example `late 40 s`, `in 3 min`.
  static func short(_ timer: OwnTimerReport) -> String {
    let duration = DurationText.short(seconds: abs(timer.dueInSeconds))
    return timer.dueInSeconds > 0 ? "in \(duration)" : "late \(duration)"
  }

  /// For example `its own timer has been due for 40 s; it runs at the next wake, in 9 min 20 s at the latest
  /// (--timers)`.
  static func line(_ timer: OwnTimerReport) -> String {
    let due =
      timer.dueInSeconds > 0
      ? "its own timer is due in \(DurationText.text(seconds: timer.dueInSeconds))"
      : "its own timer has been due for \(DurationText.text(seconds: -timer.dueInSeconds))"
    return "\(due); it runs at the next wake\(latest(timer))"
  }

  /// The latest time of the wake. The program has slept since before the timer was due, and the floor counts
  /// from then at the latest.
  private static func latest(_ timer: OwnTimerReport) -> String {
    guard let floor = timer.floorSeconds else { return " (--timers never)" }
    let left = timer.dueInSeconds > 0 ? max(timer.dueInSeconds, floor) : floor + timer.dueInSeconds
    return ", in \(DurationText.text(seconds: left)) at the latest (--timers)"
  }
}
