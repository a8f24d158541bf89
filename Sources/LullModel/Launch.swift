/// The reason for which a program is started, and what it is started for.
public struct Launch: Equatable, Sendable {
  /// The reason.
  public var reason: LaunchReason
  /// The line on which data came, by the name that the program knows.
  public var line: String?
  /// The link that somebody opened.
  public var url: String?
  /// The notification that the user answered, and the action that the user chose.
  public var answer: Answer?

  /// The answer to a notification.
  public struct Answer: Equatable, Sendable {
    /// The notification.
    public var notification: NotificationID
    /// The action: its title, or `default`.
    public var action: String

    /// Makes the fields.
    public init(_ notification: NotificationID, action: String) {
      (self.notification, self.action) = (notification, action)
    }
  }

  /// Makes the fields.
  public init(_ reason: LaunchReason, line: String? = nil, url: String? = nil, answer: Answer? = nil) {
    (self.reason, self.line, self.url, self.answer) = (reason, line, url, answer)
  }
}
