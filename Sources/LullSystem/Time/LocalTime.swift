internal import Glibc

/// A moment of the wall clock in the time zone of the process (TZ, /etc/localtime).
package struct LocalTime: Hashable, Sendable {
  private let year: Int
  private let month: Int
  private let day: Int
  private let hour: Int
  private let minute: Int
  /// 60 is a leap second.
  private let second: Int
  private let millisecond: Int

  /// The moment so many seconds after 1970-01-01 00:00 UTC; a moment outside of the years -9999 to 9999 is
  /// 1970.
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

extension LocalTime {
  /// The start of a day that is written like `2026-01-31`; nil for anything else.
  package init?(day: String) {
    let parts = day.split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, millisecond) = (hour, minute, second, 0)
  }

  /// The same day at a time that is written like `10:00` or `10:00:05`; nil for anything else.
  package func at(_ time: String) -> LocalTime? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { Self.number($0) }
    guard parts.count == 2 || parts.count == 3, let hour = parts[0], let minute = parts[1],
      let second = parts.count == 3 ? parts[2] : 0, hour < 24, minute < 60, second < 60
    else { return nil }
    return LocalTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  package func atStartOfDay(daysBefore days: Int = 0) -> LocalTime {
    LocalTime(year: year, month: month, day: day - days)
  }

  /// Seconds since 1970-01-01 00:00 UTC; a day below 1 is one of the months before. Nil for a moment that
  /// mktime(3) cannot represent.
  package var unix: Double? {
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(year - 1900)
    unsafe parts.tm_mon = Int32(month - 1)
    unsafe parts.tm_mday = Int32(day)
    unsafe parts.tm_hour = Int32(hour)
    unsafe parts.tm_min = Int32(minute)
    unsafe parts.tm_sec = Int32(second)
    // mktime finds out whether it is summer time there.
    unsafe parts.tm_isdst = -1
    let time = unsafe mktime(&parts)
    return time == -1 ? nil : Double(time) + Double(millisecond) / 1000
  }

  private static func number(_ digits: Substring) -> Int? {
    digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
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
