/// A day of the Gregorian calendar.
struct CivilDate: Equatable {
  var year: Int64
  /// From 1 on.
  var month: Int64, dayOfMonth: Int64

  init(year: Int64, month: Int64, dayOfMonth: Int64) {
    (self.year, self.month, self.dayOfMonth) = (year, month, dayOfMonth)
  }

  /// The day so many days after 1970-01-01. The years are counted from March, so that the leap day is the
  /// last day of a year.
  init(day: Int64) {
    let (era, dayOfEra) = Self.divide(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  var day: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.divide(shiftedYear, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The quotient is rounded down, so that the rest is not negative.
  static func divide(_ number: Int64, by divisor: Int64) -> (whole: Int64, rest: Int64) {
    let (whole, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (whole - 1, rest + divisor) : (whole, rest)
  }
}

extension CivilDate {
  private var months: Int64 { year * 12 + month - 1 }

  /// The count can be off by one.
  func count(of unit: CalendarUnit, until other: CivilDate) -> Int64 {
    switch unit {
    case .minute, .hour, .day: other.day - day
    case .week: (other.day - day) / 7
    case .month: other.months - months
    case .year: other.year - year
    }
  }

  /// A day that the month does not have is its last one.
  func adding(_ count: Int64, _ unit: CalendarUnit) -> CivilDate {
    switch unit {
    case .minute, .hour, .day: return CivilDate(day: day + count)
    case .week: return CivilDate(day: day + 7 * count)
    case .month, .year:
      let (year, month) = Self.divide(months + count * (unit == .year ? 12 : 1), by: 12)
      let last = Self.length(ofMonth: month + 1, year: year)
      return CivilDate(year: year, month: month + 1, dayOfMonth: min(dayOfMonth, last))
    }
  }
}
