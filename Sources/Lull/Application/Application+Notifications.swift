internal import LullEngine
internal import LullSystem
internal import LullWire

extension Application {
  /// Shows a notification to the user, or hands it to the delegate when the application is active.
  ///
  /// - Throws: `timedOut`, or `refused` for a text that is too long for the daemon (about 4,000 bytes).
  @discardableResult
  public func present(_ notification: LocalNotification) throws(LullError) -> NotificationToken {
    try declare(.present(notification), notification, due: .now, repeats: nil)
  }

  /// Shows a notification after `seconds`, and then every `repeats` seconds (at least 60).
  ///
  /// - Throws: `limitReached` for more than 128 scheduled notifications, `timedOut` or `refused`.
  @discardableResult
  public func schedule(
    _ notification: LocalNotification, after seconds: Double, repeats: Double? = nil
  ) throws(LullError) -> NotificationToken {
    let interval = Interval(clampingSeconds: seconds)
    let again = repeats.map { Interval(clampingSeconds: $0) }
    return try declare(
      .schedule(notification, .after(interval), repeats: again), notification,
      due: .moment(clock() + interval), repeats: again)
  }

  /// Shows a notification at a date, in seconds since 1970 (UTC), and then every `repeats` seconds (at least
  /// 60). The date follows the wall clock when the clock is set.
  ///
  /// - Throws: `limitReached` for more than 128 scheduled notifications, `timedOut` or `refused`.
  @discardableResult
  public func schedule(
    _ notification: LocalNotification, atUnixTime seconds: Double, repeats: Double? = nil
  ) throws(LullError) -> NotificationToken {
    let date = Interval(clampingSeconds: seconds, longest: Bounds.dates.upperBound).nanoseconds
    let again = repeats.map { Interval(clampingSeconds: $0) }
    return try declare(
      .schedule(notification, .wall(date), repeats: again), notification, due: .wall(date), repeats: again)
  }

  /// Takes a scheduled notification back; false when it was shown already.
  @discardableResult
  public func cancel(_ token: NotificationToken) -> Bool {
    defer { settle() }
    guard let id = notifications.id(of: token) else { return notifications.remove(token) }
    guard case .count(let count) = try? link.ask(.cancel(id)), count > 0 else { return false }
    return notifications.remove(token)
  }

  /// Takes every scheduled notification back.
  public func cancelAllNotifications() {
    _ = try? link.ask(.cancel(nil))
    notifications.removeScheduled()
    settle()
  }

  /// Tells an embedded application which action the user chose: the action's title, `default` for the
  /// notification itself, or `dismiss`, which only removes the notification.
  ///
  /// - Throws: `refused` for a notification that is gone, or an action that it does not have, and under a
  ///   daemon, which asks the user itself.
  public func choose(_ action: String, for token: NotificationToken) throws(LullError) {
    guard let link = link as? EmbeddedLink else { throw .refused("the daemon asks the user itself") }
    guard let id = notifications.id(of: token) else { throw .refused("the notification is gone") }
    defer { settle() }
    try link.choose(id, action)
  }

  private func declare(
    _ call: Call, _ content: LocalNotification, due: NotificationList.Due, repeats: Interval?
  ) throws(LullError) -> NotificationToken {
    guard phase != .ended else { throw .ended }
    defer { settle() }
    let token = NotificationToken(number: newToken())
    var entry = NotificationList.Entry(token: token, content: content, repeats: repeats, due: due)
    do {
      if case .notification(let id) = try link.ask(call) { entry.id = id }
    } catch .connectionLost {
      // The application declares everything anew once a daemon answers again.
    }
    notifications.insert(entry)
    return token
  }

  func show(_ id: NotificationID, _ content: LocalNotification) {
    guard let token = notifications.token(of: id) else { return }
    if let delegate {
      delegate.application(self, show: content, as: token)
    } else {
      printNotification(content)
    }
  }

  func printNotification(_ content: LocalNotification) {
    let action = content.action.map { " (\($0))" } ?? ""
    let text = "\(content.title ?? name): \(content.body)\(action)\n"
    // A failed write loses nothing: the notification stays for `choose`.
    try? StandardStreams.write(Array(text.utf8), to: StandardStreams.error)
  }

  /// The wall clock minus the engine's clock.
  var wallOffset: Int64 { wallClock() - clock().nanoseconds }
}
