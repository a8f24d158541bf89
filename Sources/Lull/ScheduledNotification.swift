internal import LullWire

/// A local notification that waits for its time.
public struct ScheduledNotification: Equatable, Sendable {
  /// Its token, with which it is cancelled.
  public let token: NotificationToken
  /// Its text, its action and its sound.
  public let notification: LocalNotification
  /// The date at which it is due next, in seconds since 1970 (UTC).
  public let unixTime: Double
  /// The rule by which it is shown again; nil for one that is shown once.
  public let repeats: NotificationRepeat?

  init(_ one: SupervisedNotification, token: NotificationToken) {
    (self.token, notification, unixTime) = (token, one.content, one.date ?? 0)
    switch one.repeats {
    case .every(let interval): repeats = .every(seconds: interval.seconds)
    case .calendar(let unit): repeats = .calendar(unit, zone: one.zone)
    case nil: repeats = nil
    }
  }
}

/// The rule by which a scheduled notification is shown again.
public enum NotificationRepeat: Equatable, Sendable {
  /// Each time that so many seconds have passed.
  case every(seconds: Double)
  /// At the same time of each such unit of the calendar in a time zone; nil is the machine's own.
  case calendar(CalendarUnit, zone: String?)
}
