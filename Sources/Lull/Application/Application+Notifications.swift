internal import LullEngine
internal import LullSystem
internal import LullWire

extension Application {
  /// Shows a notification to the user, or hands it to the delegate when the application is active.
  ///
  /// - Throws: `timedOut`, or `refused` for a text that is too long for the daemon (about 4,000 bytes).
  @discardableResult
  public func present(_ notification: LocalNotification) throws(LullError) -> NotificationToken {
    try present(notification, replacing: nil)
  }

  /// Shows a notification in the place of another one that is still shown: "New VOIP call" becomes "Missed
  /// call". It keeps the token of that one, if the user has not answered it.
  ///
  /// - Throws: what `present(_:)` throws.
  @discardableResult
  public func present(
    _ notification: LocalNotification, replacing old: NotificationToken?
  ) throws(LullError) -> NotificationToken {
    let shown = old.flatMap { notifications.contains($0) ? $0 : nil }
    return try declare(
      .present(notification, replaces: shown.flatMap(notifications.id)), of: notification, due: .now,
      token: shown)
  }

  /// Shows a notification after `seconds`, and then every `repeats` seconds (at least 60).
  ///
  /// - Throws: `limitReached` for more than 128 scheduled notifications, `timedOut` or `refused`.
  @discardableResult
  public func schedule(
    _ notification: LocalNotification, after seconds: Double, repeats: Double? = nil
  ) throws(LullError) -> NotificationToken {
    let interval = Interval(clampingSeconds: seconds)
    let again = repeats.map { RepeatRule.every(Interval(clampingSeconds: $0)) }
    return try declare(
      .schedule(.init(notification: notification, date: .after(interval), repeats: again)), of: notification,
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
    try schedule(
      notification, at: seconds, repeats: repeats.map { .every(Interval(clampingSeconds: $0)) }, zone: nil)
  }

  /// Shows a notification at a date, in seconds since 1970 (UTC), and then at the same time of each `unit` of
  /// the calendar in a time zone such as `Europe/Berlin`; nil is the machine's own. On the last day of a
  /// month that is too short; later by what the clocks skip; the first of two times when they are set back.
  ///
  /// - Throws: what the other one throws, and `refused` for a zone that the machine does not know.
  @discardableResult
  public func schedule(
    _ notification: LocalNotification, atUnixTime seconds: Double, each unit: CalendarUnit,
    zone: String? = nil
  ) throws(LullError) -> NotificationToken {
    try schedule(notification, at: seconds, repeats: .calendar(unit), zone: zone)
  }

  private func schedule(
    _ notification: LocalNotification, at seconds: Double, repeats: RepeatRule?, zone: String?
  ) throws(LullError) -> NotificationToken {
    let date = Interval(clampingSeconds: seconds, longest: Bounds.dates.upperBound).nanoseconds
    return try declare(
      .schedule(.init(notification: notification, date: .wall(date), repeats: repeats, zone: zone)),
      of: notification, due: .wall(date), repeats: repeats, zone: zone)
  }

  /// The notifications that wait for their time, in the order of scheduling (`scheduledLocalNotifications`).
  /// Those that the program has scheduled in an earlier life are among them.
  ///
  /// - Throws: `connectionLost` while the daemon is away, `timedOut` or `refused`.
  public func scheduledNotifications() throws(LullError) -> [ScheduledNotification] {
    try link.notifications(all: false).map { one in
      ScheduledNotification(one, token: token(of: one.id, one.content))
    }
  }

  /// Takes a notification back, whether it waits for its time or is shown; false when it is gone already.
  @discardableResult
  public func cancel(_ token: NotificationToken) -> Bool {
    defer { settle() }
    guard let id = notifications.id(of: token) else { return notifications.remove(token) }
    guard case .count(let count) = try? link.ask(.cancel(id)), count > 0 else { return false }
    return notifications.remove(token)
  }

  /// Takes every notification back, those that wait for their time and those that are shown.
  public func cancelAllNotifications() {
    _ = try? link.ask(.cancel(nil))
    notifications.removeAll()
    settle()
  }

  /// Tells an embedded application which action the user chose: the action's title, `default` for the
  /// notification itself, or `dismiss`, which wakes the program for a call only.
  ///
  /// - Throws: `refused` for a notification that is gone, or an action that it does not have, and under a
  ///   daemon, which asks the user itself.
  public func choose(_ action: String, for token: NotificationToken) throws(LullError) {
    guard let link = link as? EmbeddedLink else { throw .refused("the daemon asks the user itself") }
    guard let id = notifications.id(of: token) else { throw .refused("the notification is gone") }
    defer { settle() }
    try link.choose(id, action)
  }

  /// The token of a notification; a new one when it comes from an earlier life of the program.
  func token(of id: NotificationID, _ content: LocalNotification) -> NotificationToken {
    if let token = notifications.token(of: id) { return token }
    let token = NotificationToken(number: newToken())
    notifications.insert(.init(token: token, content: content, due: .now, id: id))
    return token
  }

  private func declare(
    _ request: Request, of content: LocalNotification, due: NotificationList.Due, repeats: RepeatRule? = nil,
    zone: String? = nil, token: NotificationToken? = nil
  ) throws(LullError) -> NotificationToken {
    guard phase != .ended else { throw .ended }
    defer { settle() }
    let token = token ?? NotificationToken(number: newToken())
    var entry = NotificationList.Entry(
      token: token, content: content, repeats: repeats, zone: zone, due: due)
    if case .notification(let id) = try askIfUp(request) { entry.id = id }
    _ = notifications.remove(token)
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

  /// In nanoseconds.
  var wallOffset: Int64 { wallClock() - clock().nanoseconds }
}
