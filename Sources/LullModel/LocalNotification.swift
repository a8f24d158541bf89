/// A local notification (`UILocalNotification`).
public struct LocalNotification: Equatable, Sendable {
  /// The text.
  public var body: String
  /// The heading; nil shows the program's name.
  public var title: String?
  /// The title of the action button; nil has none.
  public var action: String?
  /// The second button of a notice of Lull's own; the programs' notifications have none.
  package var otherAction: String?
  /// The sound that is played when it is shown; nil shows it without one.
  public var sound: NotificationSound?
  /// True for a call: it is urgent, and its sound repeats until it is answered or withdrawn, 60 s at most.
  public var isCall: Bool
  /// A call without a sound goes on already, and nobody is to answer it.
  package var rings: Bool { isCall && sound != nil }
  /// A notification with this text, title, action button and sound.
  public init(
    body: String, title: String? = nil, action: String? = nil, sound: NotificationSound? = nil,
    isCall: Bool = false
  ) {
    self.body = body
    self.title = title
    self.action = action
    self.sound = sound
    self.isCall = isCall
  }
}

/// The sound of a notification (`UILocalNotification.soundName`).
public enum NotificationSound: Equatable, Sendable {
  /// The sound that Lull makes itself (`UILocalNotificationDefaultSoundName`).
  case `default`
  /// A file with sound, by its absolute path.
  case file(String)

  /// The protocol's word: `default` or the path.
  public init(word: String) { self = word == "default" ? .default : .file(word) }

  /// The protocol's word: `default` or the path.
  public var word: String {
    switch self {
    case .default: "default"
    case .file(let path): path
    }
  }
}

/// A unit of the calendar after which a scheduled notification is shown again
/// (`UILocalNotification.repeatInterval`).
public enum CalendarUnit: String, CaseIterable, Sendable {
  case minute, hour, day, week, month, year
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

/// The rule by which a notification is shown again.
public enum RepeatRule: Equatable, Sendable {
  case every(Interval)
  /// At the same place of each such unit of the calendar.
  case calendar(CalendarUnit)
}
