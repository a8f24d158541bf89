extension Engine {
  mutating func present(
    _ content: LocalNotification, of id: AppID, replacing old: NotificationID?, _ turn: inout Turn
  ) -> Answer {
    let spoken = spoken(id, &turn) { app, _ in app.isStaying ? app.registration.name : nil }
    guard let name = spoken ?? nil else { return .gone }
    let replaced = old.flatMap(centre.findPending).flatMap {
      $0.program == name && !$0.content.isQuestion ? $0.id : nil
    }
    let notification = replaced ?? centre.newID()
    let item = NotificationRecord(id: notification, program: name, content: content)
    show(item, owner: id, inPlace: replaced != nil, &turn)
    return .notification(notification)
  }

  mutating func schedule(
    _ content: LocalNotification, of id: AppID, at date: FireDate, repeats: Repetition?, _ turn: inout Turn
  ) -> Answer {
    guard let name = apps[id]?.registration.name else { return .gone }
    let count = centre.countScheduled(of: name)
    let notification = centre.newID()
    let refusal = spoken(id, &turn) { app, turn -> Refusal? in
      guard app.isStaying else { return .gone }
      guard count < turn.policy.maximumNotifications else {
        return .tooManyNotifications(turn.policy.maximumNotifications)
      }
      let minimum = turn.policy.notificationRepeatMinimum
      if case .every(let interval) = repeats, interval < minimum {
        return .repeatTooShort(interval, minimum: minimum)
      }
      turn.note(id, .notificationScheduled(notification))
      return nil
    }
    if let refusal = refusal ?? .gone { return .refused(refusal) }
    let item = NotificationRecord(
      id: notification, program: name, content: content, repeats: repeats.map { $0.bounded(by: policy) })
    centre.schedule(dated(item, at: date, turn))
    return .notification(notification)
  }

  private func dated(_ item: NotificationRecord, at date: FireDate, _ turn: Turn) -> NotificationRecord {
    switch date {
    case .wall(let nanoseconds): return item.scheduled(at: nanoseconds)
    case .after(let interval):
      let moment = turn.now + interval.clamped(to: .zero...policy.longest)
      // The calendar is the wall clock's.
      if case .calendar = item.repeats { return item.scheduled(at: centre.wall(moment)) }
      var item = item
      item.fires = .engine(moment)
      return item
    }
  }

  mutating func cancel(_ notification: NotificationID?, of id: AppID, _ turn: inout Turn) -> Answer {
    guard let name = spoken(id, &turn, body: { app, _ in app.registration.name }) else { return .gone }
    let (count, shown) = centre.cancel(notification, of: name)
    for id in shown { turn.perform(.withdraw(id)) }
    guard let notification, count == 0 else { return .count(count) }
    return .refused(.noSuchNotification(notification))
  }

  mutating func fireNotifications(_ turn: inout Turn) {
    guard centre.deadline <= turn.now else { return }
    for item in centre.takeDue(at: turn.now) { show(item, owner: find(name: item.program), &turn) }
    let apps = apps
    let lost = centre.takeLostCalls(at: turn.now) { name in
      apps.first { $0.registration.name == name } == nil
    }
    for id in lost { turn.perform(.withdraw(id)) }
  }

  /// "If the app is already running in the foreground, local notifications are delivered quietly to the app".
  /// A call is shown and rings all the same, as on the machine's own phone, and a notification that takes the
  /// place of a shown one is shown there.
  mutating func show(
    _ item: NotificationRecord, owner: AppID?, inPlace: Bool = false, _ turn: inout Turn
  ) {
    let app = owner.flatMap { apps[$0] }
    let isShown = item.content.isCall || inPlace
    if !isShown, let app, app.isStaying, app.state == .active, app.registration.speaks {
      if centre.takePending(item.id) != nil { turn.perform(.withdraw(item.id)) }
      return turn.perform(.receive(app.id, item.id, item.content))
    }
    var item = item
    item.shown = turn.now
    for surplus in centre.show(item, limit: policy.maximumNotifications) { turn.perform(.withdraw(surplus)) }
    recordNotifications(&turn)
    turn.perform(.show(item.id, program: item.program, item.content))
    turn.note(app?.id, .notificationShown(item.id))
  }

  /// The notification makes no second sound.
  mutating func showAgain(_ item: NotificationRecord, _ turn: inout Turn) {
    for surplus in centre.show(item, limit: policy.maximumNotifications) { turn.perform(.withdraw(surplus)) }
    recordNotifications(&turn)
    var content = item.content
    content.sound = nil
    turn.perform(.show(item.id, program: item.program, content))
  }

  // MARK: Programs and engines come and go

  /// A notification stays when its program goes. A call does not: nobody could answer it.
  mutating func withdrawCalls(of program: String, _ turn: inout Turn) {
    for id in centre.takeCalls(of: program) { turn.perform(.withdraw(id)) }
  }

  /// Programs can make names up at will, so the notifications that they leave behind are bounded.
  mutating func trimNotifications(_ turn: inout Turn) {
    let apps = apps
    let dropped = centre.trim(to: policy.maximumLeftNotifications) { name in
      apps.first { $0.registration.name == name } == nil
    }
    for id in dropped { turn.perform(.withdraw(id)) }
  }

  /// Takes a notification of the engine before this one. It makes no second sound, but a call that would
  /// still ring goes on ringing.
  mutating func restore(_ item: NotificationRecord, _ turn: inout Turn) -> Answer {
    let limit = turn.now + policy.restoredCallLimit
    guard centre.restore(item, limit: limit), item.fires == nil else { return .done }
    var content = item.content
    let isRinging = content.isCall && (item.shown.map { turn.now - $0 < policy.ringingLimit } ?? false)
    if !isRinging { content.sound = nil }
    turn.perform(.show(item.id, program: item.program, content))
    return .done
  }

  mutating func setLocalZone(_ zone: ZoneRules, _ turn: inout Turn) -> Answer {
    centre.setLocalZone(zone, at: turn.now)
    surroundings.setLocalZone(zone, at: turn.now)
    tellSurroundings(&turn)
    return .done
  }

  /// Tells the shell what changed, for the next engine. A notification is told before it is shown: the
  /// supervisor may die in between, and the next one would show it a second time.
  mutating func recordNotifications(_ turn: inout Turn, atEnd isEnd: Bool = false) {
    for change in centre.takeChanges(atEnd: isEnd) {
      switch change {
      case .record(let item): turn.perform(.record(item))
      case .drop(let id, let isScheduled): turn.perform(.drop(id, isScheduled: isScheduled))
      }
    }
  }
}

extension NotificationRecord {
  fileprivate func scheduled(at date: Int64) -> NotificationRecord {
    var item = self
    (item.fires, item.first) = (.wall(date), date)
    return item
  }
}

extension Repetition {
  fileprivate func bounded(by policy: Policy) -> Repetition {
    if case .every(let interval) = self { .every(min(interval, policy.longest)) } else { self }
  }
}
