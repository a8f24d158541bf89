/// A local notification (`UILocalNotification`).
public struct LocalNotification: Equatable, Sendable {
  /// The text.
  public var body: String
  /// The heading; nil shows the program's name.
  public var title: String?
  /// The title of the action button; nil has none.
  public var action: String?
  /// A notification with this text, title and action button.
  public init(body: String, title: String? = nil, action: String? = nil) {
    self.body = body
    self.title = title
    self.action = action
  }
}

/// The actions that every notification has beside its own (`action=`).
public enum NotificationAction: String, CaseIterable, Sendable {
  /// The notification itself was chosen.
  case `default`
  /// The notification was closed.
  case dismiss
}

/// The date of a scheduled notification.
public enum FireDate: Equatable, Sendable {
  /// Nanoseconds of the wall clock since 1970; follows the wall clock when it is set.
  case wall(Int64)
  /// This time from now, whatever the wall clock does.
  case after(Interval)
}
