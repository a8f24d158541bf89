/// Durations as people read them: `31 us`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
enum DurationText {
  private static let minute = 60
  private static let hour = 3600
  private static let day = 86_400

  /// The two largest units of a duration in seconds, cut off, not rounded up; negative is 0.
  static func text(seconds: Double) -> String {
    guard seconds > 0 else { return "0 s" }
    switch seconds {
    case ..<0.001: return "\(Int(seconds * 1e6)) us"
    case ..<1: return "\(Int(seconds * 1e3)) ms"
    case ..<10: return tenths(seconds)
    case ..<Double(Int32.max): return units(Int(seconds))
    default: return "more than 68 years"
    }
  }

  /// The largest unit alone, in whole numbers: `0 s`, `45 s`, `3 min`, `2 h`, `5 d`.
  static func short(seconds: Double) -> String {
    guard seconds >= 1 else { return "0 s" }
    guard seconds < Double(Int32.max) else { return text(seconds: seconds) }
    let whole = Int(seconds)
    switch whole {
    case ..<minute: return "\(whole) s"
    case ..<hour: return "\(whole / minute) min"
    case ..<day: return "\(whole / hour) h"
    default: return "\(whole / day) d"
    }
  }

  /// The time, in seconds, for which the short form of a duration stays about right.
  static func patience(seconds: Double) -> Double {
    switch abs(seconds) {
    case ..<Double(minute): 1
    case ..<Double(hour): Double(minute)
    default: Double(hour)
    }
  }

  static func text(microseconds: Int64) -> String { text(seconds: Double(microseconds) / 1e6) }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int(seconds * 10)
    return tenths.isMultiple(of: 10) ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  private static func units(_ seconds: Int) -> String {
    switch seconds {
    case ..<minute: "\(seconds) s"
    case ..<hour: pair(large: seconds / minute, unit: "min", small: seconds % minute, smallUnit: "s")
    case ..<day: pair(large: seconds / hour, unit: "h", small: seconds % hour / minute, smallUnit: "min")
    default: pair(large: seconds / day, unit: "d", small: seconds % day / hour, smallUnit: "h")
    }
  }

  private static func pair(large: Int, unit: String, small: Int, smallUnit: String) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
  }
}
