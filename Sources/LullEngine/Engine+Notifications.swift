extension Engine {
  mutating func present(_ id: AppID, _ content: LocalNotification, _ request: RequestID, _ turn: inout Turn) {
    let notification = centre.newID()
    var speaks = false
    spoken(id, request, &turn) { app, turn in
      guard app.isStaying else { return turn.refuse(request, .gone) }
      turn.answer(request, .notification(notification))
      speaks = true
    }
    guard speaks else { return }
    let item = NotificationCentre.Item(
      id: notification, app: id, content: content, fires: .engine(turn.now), repeats: nil)
    show(item, &turn)
  }

  mutating func schedule(
    _ id: AppID, _ content: LocalNotification, _ date: FireDate, _ repeats: Interval?, _ request: RequestID,
    _ turn: inout Turn
  ) {
    let count = centre.countScheduled(of: id)
    let notification = centre.newID()
    var accepted = false
    spoken(id, request, &turn) { app, turn in
      guard app.isStaying else { return turn.refuse(request, .gone) }
      guard count < turn.policy.maximumNotifications else {
        return turn.refuse(request, .tooManyNotifications(turn.policy.maximumNotifications))
      }
      let minimum = turn.policy.notificationRepeatMinimum
      if let repeats, repeats < minimum {
        return turn.refuse(request, .repeatTooShort(repeats, minimum: minimum))
      }
      turn.answer(request, .notification(notification))
      turn.note(id, .notificationScheduled(notification))
      accepted = true
    }
    guard accepted else { return }
    let fires: NotificationCentre.FireTime =
      switch date {
      case .wall(let nanoseconds): .wall(nanoseconds)
      case .after(let interval): .engine(turn.now + interval.clamped(to: .zero...policy.longest))
      }
    let repeats = repeats.map { min($0, policy.longest) }
    centre.schedule(
      NotificationCentre.Item(id: notification, app: id, content: content, fires: fires, repeats: repeats))
  }

  mutating func cancel(_ id: AppID, _ notification: NotificationID?, _ request: RequestID, _ turn: inout Turn)
  {
    var heard = false
    spoken(id, nil, &turn) { _, _ in heard = true }
    guard heard else { return turn.refuse(request, .gone) }
    let count = centre.cancel(notification, of: id)
    guard let notification, count == 0 else { return turn.answer(request, .count(count)) }
    turn.refuse(request, .noSuchNotification(notification))
  }

  /// The user chose an action. `dismiss` only takes the notification away; any other wakes the program.
  mutating func answer(_ id: NotificationID, _ action: String, _ request: RequestID, _ turn: inout Turn) {
    guard let item = centre.findPending(id) else { return turn.refuse(request, .noSuchNotification(id)) }
    guard action == "default" || action == "dismiss" || action == item.content.action else {
      return turn.refuse(request, .noSuchAction(action))
    }
    _ = centre.takePending(id)
    turn.perform(.withdraw(id))
    turn.note(item.app, .notificationAnswered(id, action))
    guard action != "dismiss" else { return turn.answer(request, .done) }
    touch(item.app, request, &turn) { app, turn in
      guard app.isStaying else { return turn.refuse(request, .gone) }
      if app.state == .background || app.state == .suspended {
        app.wake(.notification, line: nil, turn.policy.wakeRunTime, &turn)
      }
      let ticket = turn.newTicket()
      // The time that it was given is for the action.
      app.wakeLease?.ticket = ticket
      turn.perform(.action(app.id, id, action, ticket))
      turn.answer(request, .done)
    }
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
