/// The reason of a refused request.
public enum Refusal: Equatable, Sendable {
  case nameInUse(String)
  case noSuchLine(LineID), noSuchTask(TaskID), noSuchNotification(NotificationID), noSuchAction(String)
  case noSuchSession(SessionID)
  /// The time-out asked for and the shortest allowed.
  case keepAliveTooShort(Interval, minimum: Interval)
  case tooManyPrograms(Int), tooManyLines(Int), tooManyTasks(Int), tooManyNotifications(Int)
  case tooManySessions(Int)
  /// Nothing would bring the program of this name back.
  case cannotComeBack(String)
  case callRings(String)
  case isUnmanaged
  /// The user has denied that the program of this name records.
  case recordingDenied(String)
  case noBackgroundTime
  /// The repeat interval asked for and the shortest allowed.
  case repeatTooShort(Interval, minimum: Interval)
  /// The mode that was not declared.
  case wrongMode(Modes)
  /// The program is held awake by this lease, or is on its way out.
  case busy(LeaseKind?)
  case gone
  /// The program of this name has ended; its notification stays.
  case programEnded(String)
  case wasQuit(String)
  /// The installed program has crashed or could not be started several times in a row, and is started again
  /// after this wait.
  case crashes(String, wait: Interval)
}
