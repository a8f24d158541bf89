extension Engine {
  mutating func present(_ content: LocalNotification, of id: AppID, _ turn: inout Turn) -> Answer {
    let notification = centre.newID()
    let isStaying = spoken(id, &turn) { app, _ in app.isStaying } ?? false
    guard isStaying else { return .gone }
    let item = NotificationCentre.Item(
      id: notification, app: id, content: content, fires: .engine(turn.now), repeats: nil)
    show(item, &turn)
    return .notification(notification)
  }

  mutating func schedule(
    _ content: LocalNotification, of id: AppID, at date: FireDate, repeats: Interval?, _ turn: inout Turn
  ) -> Answer {
    let count = centre.countScheduled(of: id)
    let notification = centre.newID()
    let refusal = spoken(id, &turn) { app, turn -> Refusal? in
      guard app.isStaying else { return .gone }
      guard count < turn.policy.maximumNotifications else {
        return .tooManyNotifications(turn.policy.maximumNotifications)
      }
      let minimum = turn.policy.notificationRepeatMinimum
      if let repeats, repeats < minimum { return .repeatTooShort(repeats, minimum: minimum) }
      turn.note(id, .notificationScheduled(notification))
      return nil
    }
    if let refusal = refusal ?? .gone { return .refused(refusal) }
    let fires: NotificationCentre.FireTime =
      switch date {
      case .wall(let nanoseconds): .wall(nanoseconds)
      case .after(let interval): .engine(turn.now + interval.clamped(to: .zero...policy.longest))
      }
    let repeats = repeats.map { min($0, policy.longest) }
    centre.schedule(
      NotificationCentre.Item(id: notification, app: id, content: content, fires: fires, repeats: repeats))
    return .notification(notification)
  }

  mutating func cancel(_ notification: NotificationID?, of id: AppID, _ turn: inout Turn) -> Answer {
    guard spoken(id, &turn, body: { _, _ in true }) != nil else { return .gone }
    let count = centre.cancel(notification, of: id)
    guard let notification, count == 0 else { return .count(count) }
    return .refused(.noSuchNotification(notification))
  }

  /// The user chose an action. `dismiss` only takes the notification away; any other wakes the program.
  mutating func answer(_ id: NotificationID, action: String, _ turn: inout Turn) -> Answer {
    guard let item = centre.findPending(id) else { return .refused(.noSuchNotification(id)) }
    let common = NotificationAction(rawValue: action)
    guard common != nil || action == item.content.action else {
      return .refused(.noSuchAction(action))
    }
    _ = centre.takePending(id)
    turn.perform(.withdraw(id))
    turn.note(item.app, .notificationAnswered(id, action))
    guard common != .dismiss else { return .done }
    return touch(item.app, &turn) { app, turn in
      guard app.isStaying else { return .gone }
      if app.state == .background || app.state == .suspended {
        app.wake(.notification, line: nil, for: turn.policy.wakeRunTime, &turn)
      }
      let ticket = turn.newTicket()
      // The run time of the wake is for the action.
      app.wakeLease?.ticket = ticket
      turn.perform(.action(app.id, id, action, ticket))
      return .done
    } ?? .gone
  }

  mutating func fireNotifications(_ turn: inout Turn) {
    for item in centre.takeDue(at: turn.now) { show(item, &turn) }
  }

  /// "If the app is already running in the foreground, local notifications are delivered quietly to the app".
  private mutating func show(_ item: NotificationCentre.Item, _ turn: inout Turn) {
    guard let app = apps[item.app], app.isStaying else { return }
    guard app.state != .active || !app.registration.speaks else {
      return turn.perform(.receive(item.app, item.id, item.content))
    }
    for surplus in centre.show(item, limit: policy.maximumNotifications) { turn.perform(.withdraw(surplus)) }
    turn.perform(.show(item.id, item.app, item.content))
    turn.note(item.app, .notificationShown(item.id))
  }
}
