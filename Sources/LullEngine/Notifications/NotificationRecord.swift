/// A local notification of the engine. It belongs to a program by the program's name, and outlives the
/// program and the engine.
public struct NotificationRecord: Equatable, Sendable {
  /// The time at which a notification is shown.
  public enum FireTime: Equatable, Sendable {
    /// Nanoseconds of the wall clock since 1970.
    case wall(Int64)
    case engine(Moment)
  }

  /// Its number.
  public let id: NotificationID
  /// The name of its program, which may have ended.
  public var program: String
  /// Its text, its action and its sound.
  public var content: LocalNotification
  /// The time at which it is due; nil when it is shown and waits for an answer.
  public var fires: FireTime?
  /// The moment at which it was shown; nil while it waits for its time.
  public var shown: Moment?
  /// The rule by which it is shown again.
  public var repeats: Repetition?
  /// The first date when it goes by the wall clock, in nanoseconds since 1970: its repeats count from there.
  public var first: Int64?

  /// A notification with these parts.
  public init(
    id: NotificationID, program: String, content: LocalNotification, fires: FireTime? = nil,
    shown: Moment? = nil, repeats: Repetition? = nil, first: Int64? = nil
  ) {
    (self.id, self.program, self.content) = (id, program, content)
    (self.fires, self.shown, self.repeats, self.first) = (fires, shown, repeats, first)
  }
}

/// The rule by which a scheduled notification is shown again.
public enum Repetition: Equatable, Sendable {
  case every(Interval)
  /// At the same place of each such unit of the calendar of a zone.
  case calendar(CalendarUnit, ZoneRules)
}

extension Repetition {
  /// The rule without its zone.
  public var rule: RepeatRule {
    switch self {
    case .every(let interval): .every(interval)
    case .calendar(let unit, _): .calendar(unit)
    }
  }

  /// The name of its zone; nil for the machine's own, and without a zone.
  public var zone: String? { if case .calendar(_, let zone) = self { zone.name } else { nil } }
}

extension NotificationRecord {
  /// The first time after `now` at which it is due again. `wall` is `now` on the wall clock, and `due` the
  /// moment at which it was due.
  func next(due: Moment, now: Moment, wall: Int64) -> FireTime? {
    switch (fires, repeats) {
    case (let fires?, .every(let interval)):
      let missed = min((now - due).nanoseconds / max(1, interval.nanoseconds), .max - 1) + 1
      return fires.later(by: interval.scaled(by: missed))
    case (.wall(let date), .calendar(let unit, let zone)):
      return zone.next(unit, first: first ?? date, after: wall).map(FireTime.wall)
    case (nil, _), (_, nil), (.engine, .calendar): return nil
    }
  }

  /// A nearer time for a wall clock that was set back by more than one repeat; nil when none is needed.
  func nearer(wall: Int64) -> FireTime? {
    guard case .wall(let date) = fires, let repeats, let first, date > wall else { return nil }
    let (wait, overflow) = date.subtractingReportingOverflow(wall)
    switch repeats {
    case .every(let interval):
      guard interval > .zero, !overflow, wait > interval.nanoseconds else { return nil }
      let nearer = max(first, date - (wait - 1) / interval.nanoseconds * interval.nanoseconds)
      return nearer < date ? .wall(nearer) : nil
    case .calendar(let unit, let zone):
      guard overflow || wait > unit.longest.nanoseconds,
        let nearer = zone.next(unit, first: first, after: wall), nearer < date
      else { return nil }
      return .wall(nearer)
    }
  }
}

extension NotificationRecord.FireTime {
  fileprivate func later(by interval: Interval) -> Self {
    switch self {
    case .engine(let moment): .engine(moment + interval)
    case .wall(let nanoseconds): .wall((Moment(nanoseconds: nanoseconds) + interval).nanoseconds)
    }
  }
}

extension CalendarUnit {
  /// The longest time from one repeat to the next, with a clock change in between.
  fileprivate var longest: Interval {
    switch self {
    case .minute: .seconds(60)
    case .hour: .seconds(3600)
    case .day: .seconds(49 * 3600)
    case .week: .seconds(8 * 86_400)
    case .month: .seconds(32 * 86_400)
    case .year: .seconds(367 * 86_400)
    }
  }
}
