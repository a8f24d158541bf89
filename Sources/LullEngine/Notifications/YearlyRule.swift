/// The rule of a zone for the years to come: standard time, and the two days on which the clocks are changed
/// (the POSIX text of TZ).
struct YearlyRule: Equatable, Sendable {
  enum Day: Equatable, Sendable {
    /// The day from 1 to 365, not counting the leap day.
    case julian(Int64)
    /// The day from 0 to 365, counting the leap day.
    case ordinal(Int64)
    /// The weekday (0 is Sunday) in that week of the month; the fifth is the last one.
    case weekday(Int64, week: Int64, month: Int64)
  }

  struct Switch: Equatable, Sendable {
    let day: Day
    /// Seconds after midnight on the clocks before the change.
    let time: Int64
  }

  struct Summer: Equatable, Sendable {
    let offset: Int64
    let begins: Switch
    let ends: Switch
  }

  let standard: Int64
  let summer: Summer?

  func offset(at moment: Int64) -> Int64 {
    guard let summer else { return standard }
    let year = CivilDate(day: CivilDate.divide(moment + standard, by: 86_400).whole).year
    let begins = summer.begins.local(in: year) - standard
    let ends = summer.ends.local(in: year) - summer.offset
    let isSummer =
      begins < ends ? begins <= moment && moment < ends : moment < ends || begins <= moment
    return isSummer ? summer.offset : standard
  }
}

extension YearlyRule.Switch {
  /// The seconds since 1970-01-01 00:00 that the clocks show.
  fileprivate func local(in year: Int64) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, dayOfMonth: 1).day
    let day =
      switch day {
      case .julian(let number): newYear + number - (CivilDate.isLeap(year) && number > 59 ? 0 : 1)
      case .ordinal(let number): newYear + number
      case .weekday(let weekday, let week, let month): Self.day(weekday, week: week, month: month, year: year)
      }
    return day * 86_400 + time
  }

  private static func day(_ weekday: Int64, week: Int64, month: Int64, year: Int64) -> Int64 {
    let first = CivilDate(year: year, month: month, dayOfMonth: 1).day
    // 1970-01-01 was a Thursday.
    let ahead = (weekday - CivilDate.divide(first + 4, by: 7).rest + 7) % 7
    let day = first + ahead + 7 * (week - 1)
    return day < first + CivilDate.length(ofMonth: month, year: year) ? day : day - 7
  }
}

extension YearlyRule {
  /// Reads a text such as `CET-1CEST,M3.5.0,M10.5.0/3`.
  init?(_ text: some Sequence<UInt8>) {
    var reader = RuleReader(bytes: Array(text)[...])
    guard reader.skipName(), let standard = reader.time(hours: 24) else { return nil }
    self.standard = -standard
    guard !reader.isAtEnd else {
      summer = nil
      return
    }
    guard reader.skipName() else { return nil }
    var offset = self.standard + 3600
    if !reader.isAt(",") {
      guard let west = reader.time(hours: 24) else { return nil }
      offset = -west
    }
    guard let begins = reader.change(), let ends = reader.change(), reader.isAtEnd else { return nil }
    summer = Summer(offset: offset, begins: begins, ends: ends)
  }
}

private struct RuleReader {
  var bytes: ArraySlice<UInt8>

  var isAtEnd: Bool { bytes.isEmpty }

  func isAt(_ character: Unicode.Scalar) -> Bool { bytes.first == UInt8(ascii: character) }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isAt(character) else { return false }
    bytes.removeFirst()
    return true
  }

  /// The name of a time: letters, or anything in angle brackets.
  mutating func skipName() -> Bool {
    let count = bytes.count
    if take("<") {
      while let next = bytes.popFirst() { if next == UInt8(ascii: ">") { return true } }
      return false
    }
    let letters = UInt8(ascii: "A")...UInt8(ascii: "z")
    while let next = bytes.first, letters.contains(next) { bytes.removeFirst() }
    return bytes.count < count
  }

  mutating func number(in range: ClosedRange<Int64>) -> Int64? {
    var value: Int64?
    while let next = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      bytes.removeFirst()
      value = (value ?? 0) * 10 + Int64(next - UInt8(ascii: "0"))
      if let value, value > range.upperBound { return nil }
    }
    return value.flatMap { range.contains($0) ? $0 : nil }
  }

  /// `[+|-]hh[:mm[:ss]]`, in seconds.
  mutating func time(hours longest: Int64) -> Int64? {
    let sign: Int64 = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard let hours = number(in: 0...longest) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] as [Int64] where take(":") {
      guard let part = number(in: 0...59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  /// `,day[/time]`; 02:00 without a time.
  mutating func change() -> YearlyRule.Switch? {
    guard take(","), let day = day() else { return nil }
    guard take("/") else { return .init(day: day, time: 7200) }
    return time(hours: 167).map { .init(day: day, time: $0) }
  }

  private mutating func day() -> YearlyRule.Day? {
    if take("J") { return number(in: 1...365).map { .julian($0) } }
    guard take("M") else { return number(in: 0...365).map { .ordinal($0) } }
    guard let month = number(in: 1...12), take("."), let week = number(in: 1...5), take("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(weekday, week: week, month: month)
  }
}
