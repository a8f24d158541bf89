internal import Glibc

/// A moment of the wall clock in the time zone of the process (TZ, /etc/localtime).
package struct LocalTime: Hashable, Sendable {
  /// The year, for example 2026.
  private let year: Int
  /// 1 to 12.
  private let month: Int
  /// 1 to 31.
  private let day: Int
  /// 0 to 23.
  private let hour: Int
  /// 0 to 59.
  private let minute: Int
  /// 0 to 60 (a leap second).
  private let second: Int
  /// 0 to 999.
  private let millisecond: Int

  /// The moment so many seconds after 1970-01-01 00:00 UTC; a moment outside of the years -9999 to 9999 is
  /// 1970.
  ///
  /// The corresponding C function is `localtime_r`.
  package init(unix seconds: Double) {
    let limit = 253_402_300_800.0
    let moment = abs(seconds) < limit ? seconds : 0
    let whole = moment.rounded(.down)
    var time = time_t(whole)
    var parts = unsafe tm()
    _ = unsafe localtime_r(&time, &parts)
    year = Int(unsafe parts.tm_year) + 1900
    month = Int(unsafe parts.tm_mon) + 1
    day = Int(unsafe parts.tm_mday)
    hour = Int(unsafe parts.tm_hour)
    minute = Int(unsafe parts.tm_min)
    second = Int(unsafe parts.tm_sec)
    millisecond = min(999, Int((moment - whole) * 1000))
  }
}

extension LocalTime: CustomStringConvertible {
  /// For example `2026-01-02 10:11:12.345`.
  package var description: String {
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    return "\(date) \(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2)).\(padded(millisecond, 3))"
  }

  private func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
