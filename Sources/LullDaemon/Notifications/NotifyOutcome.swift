import LullModel

/// What lull-notify tells, for the rest of the daemon.
enum NotifyOutcome: Equatable {
  /// The user chose an action of a notification, or closed it (`dismiss`).
  case answer(NotificationID, String)
  /// The desktop wants to be left alone from now on.
  case inhibited
  /// Something does not work, or works again (nil).
  case trouble(String?)
  /// The user's session is locked, or no longer.
  case locked(Bool)
  /// The machine is about to sleep, or goes on.
  case sleeps(Bool)
  /// An accessory came or went.
  case accessory
}
