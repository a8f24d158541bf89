import LullWire

enum OwnTimerText {
  /// For example `late 40 s`, `in 3 min 20 s`, `unknown`.
  static func cell(_ timer: TimerItem) -> String {
    guard let due = timer.dueInSeconds else { return "unknown" }
    return "\(due > 0 ? "in" : "late") \(DurationText.text(seconds: abs(due)))"
  }

  /// For example `late 40 s`, `in 3 min`.
  static func short(_ timer: TimerItem) -> String {
    guard let due = timer.dueInSeconds else { return "?" }
    return "\(due > 0 ? "in" : "late") \(DurationText.short(seconds: abs(due)))"
  }

  /// For example `its own timer has been due for 40 s; it runs at the next wake, in 9 min 20 s at the latest
  /// (--timers)`.
  static func lines(_ timer: TimerItem) -> [String] {
    [timer.dueInSeconds.map { line(due: $0, timer) }, timer.isHidden ? hidden(timer) : nil].compactMap(\.self)
  }

  private static func line(due: Double, _ timer: TimerItem) -> String {
    let text =
      due > 0
      ? "its own timer is due in \(DurationText.text(seconds: due))"
      : "its own timer has been due for \(DurationText.text(seconds: -due))"
    return "\(text); it runs at the next wake\(latest(due: due, timer))"
  }

  /// The latest time of the wake. The program has slept since before the timer was due, and the floor counts
  /// from then at the latest.
  private static func latest(due: Double, _ timer: TimerItem) -> String {
    guard let floor = timer.floorSeconds else { return " (--timers never)" }
    let left = due > 0 ? max(due, floor) : floor + due
    return ", in \(DurationText.text(seconds: left)) at the latest (--timers)"
  }

  private static func hidden(_ timer: TimerItem) -> String {
    let look =
      timer.lookInSeconds.map { ", in \(DurationText.text(seconds: $0)) at the latest (--timers)" }
      ?? " (--timers never)"
    return "it may have an alarm, whose time cannot be read: its signals are looked at whenever lulld runs"
      + look
  }
}
