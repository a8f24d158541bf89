/// A time zone: its name, and its offsets from UTC at all times.
public struct ZoneRules: Equatable, Sendable {
  /// A moment from which another offset holds. Both are in seconds; the moment since 1970 in UTC, the offset
  /// towards the east.
  struct Change: Equatable, Sendable {
    let at: Int64
    let offset: Int64
  }

  /// The name as the request had it; nil for the machine's own zone.
  public let name: String?
  private let initial: Int64
  /// In the order of their moments.
  private let changes: [Change]
  private let rule: YearlyRule?

  init(name: String?, initial: Int64, changes: [Change], rule: YearlyRule?) {
    (self.name, self.initial, self.changes, self.rule) = (name, initial, changes, rule)
  }

  /// UTC, under a name.
  public static func utc(name: String? = nil) -> ZoneRules {
    ZoneRules(name: name, initial: 0, changes: [], rule: nil)
  }

  /// In seconds.
  func offset(at moment: Int64) -> Int64 {
    if let rule, changes.last.map({ $0.at <= moment }) ?? true { return rule.offset(at: moment) }
    let next = changes.firstPlace { $0.at > moment }
    return next == 0 ? initial : changes[next - 1].offset
  }

  /// The moment at which the clocks of the zone show these seconds since 1970-01-01 00:00. Of two such
  /// moments it is the first. For a time that the clocks skip it is as much later as they skip.
  func moment(ofLocal seconds: Int64) -> Int64 {
    let before = offset(at: seconds - 86_400)
    let after = offset(at: seconds + 86_400)
    if offset(at: seconds - before) == before { return seconds - before }
    if offset(at: seconds - after) == after { return seconds - after }
    return seconds - before
  }
}

extension ZoneRules {
  private static let second: Int64 = 1_000_000_000

  /// The moment at which the clocks here show what those of `other` show at `moment`, both in nanoseconds
  /// since 1970; `moment` itself where the numbers have no such moment.
  func moment(ofSameLocal moment: Int64, in other: ZoneRules) -> Int64 {
    let (whole, fraction) = CivilDate.divide(moment, by: Self.second)
    let (same, isTooLong) = self.moment(ofLocal: whole + other.offset(at: whole))
      .multipliedReportingOverflow(by: Self.second)
    let (date, isTooLate) = same.addingReportingOverflow(fraction)
    return isTooLong || isTooLate ? moment : date
  }

  /// The first repeat of `first` after `now`, both in nanoseconds since 1970; `first` itself when that is
  /// still to come. Returns nil when the numbers have no such moment.
  ///
  /// A minute and an hour are 60 s and 3600 s. From a day on the clocks of the zone show the same time each
  /// time. A day that the month does not have is its last one.
  func next(_ unit: CalendarUnit, first: Int64, after now: Int64) -> Int64? {
    guard now >= first else { return first }
    switch unit {
    case .minute: return Self.next(first, after: now, each: 60 * Self.second)
    case .hour: return Self.next(first, after: now, each: 3600 * Self.second)
    case .day, .week, .month, .year: return nextDate(unit, first: first, after: now)
    }
  }

  private static func next(_ first: Int64, after now: Int64, each length: Int64) -> Int64? {
    let (passed, overflow) = now.subtractingReportingOverflow(first)
    guard !overflow else { return nil }
    let (wait, isTooLong) = (passed / length + 1).multipliedReportingOverflow(by: length)
    let (next, isTooLate) = first.addingReportingOverflow(wait)
    return isTooLong || isTooLate ? nil : next
  }

  private func nextDate(_ unit: CalendarUnit, first: Int64, after now: Int64) -> Int64? {
    let (start, fraction) = CivilDate.divide(first, by: Self.second)
    let local = CivilDate.divide(start + offset(at: start), by: 86_400)
    let origin = CivilDate(day: local.whole)
    let here = CivilDate.divide(now, by: Self.second).whole
    let today = CivilDate(day: CivilDate.divide(here + offset(at: here), by: 86_400).whole)
    var count = max(0, origin.count(of: unit, until: today) - 1)
    // The clocks may differ by a day from one repeat to the next, so one step too early costs two more.
    for _ in 0..<4 {
      let day = origin.adding(count, unit).day
      let moment = moment(ofLocal: day * 86_400 + local.rest)
      let (whole, isTooLong) = moment.multipliedReportingOverflow(by: Self.second)
      let (date, isTooLate) = whole.addingReportingOverflow(fraction)
      guard !isTooLong, !isTooLate else { return nil }
      if date > now { return date }
      count += 1
    }
    return nil
  }
}
