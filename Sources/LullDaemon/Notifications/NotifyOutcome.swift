import LullModel

enum NotifyOutcome: Equatable {
  /// The user chose an action of a notification, or closed it (`dismiss`).
  case answer(NotificationID, String)
  /// The desktop wants to be left alone from now on.
  case inhibited
  /// Something does not work; nil: it works again.
  case trouble(String?)
  case locked(Bool)
  /// The machine is about to sleep, or goes on.
  case sleeps(Bool)
  /// An accessory came or went.
  case accessory
}
