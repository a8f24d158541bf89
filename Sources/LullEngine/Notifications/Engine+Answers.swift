struct NotificationChoice: Equatable, Sendable {
  let notification: NotificationID
  let action: String
}

extension Engine {
  /// A choice wakes its program. `dismiss` waits for the next wake, unless it declines a call; it also takes
  /// back a notification that waits for its time.
  mutating func answer(_ id: NotificationID, action: String, _ turn: inout Turn) -> Answer {
    let isDismissal = action == NotificationAction.dismiss.rawValue
    let scheduled = isDismissal ? centre.scheduled.first { $0.id == id } : nil
    guard let item = centre.findPending(id) ?? scheduled else { return .refused(.noSuchNotification(id)) }
    if let refusal = refusal(of: action, for: item) { return .refused(refusal) }
    let owner = find(name: item.program).flatMap { apps[$0]?.isStaying == true ? $0 : nil }
    if item.content.isQuestion {
      takeBack(item, action: action, owner: owner, &turn)
      return answerQuestion(item, action: action, &turn)
    }
    guard owner != nil || isDismissal else { return .refused(.programEnded(item.program)) }
    takeBack(item, action: action, owner: owner, &turn)
    guard let owner else { return .done }
    let wakes = !isDismissal || item.content.isCall && item.fires == nil
    return touch(owner, &turn) { app, turn in
      app.take(NotificationChoice(notification: id, action: action), wakes: wakes, &turn)
      return .done
    } ?? .gone
  }

  mutating func answerAtLaunch(_ id: NotificationID, action: String, _ turn: inout Turn) -> Answer {
    guard let item = centre.findPending(id) else { return .refused(.noSuchNotification(id)) }
    if let refusal = refusal(of: action, for: item) { return .refused(refusal) }
    takeBack(item, action: action, owner: nil, &turn)
    awaited.append((item, NotificationChoice(notification: id, action: action)))
    if awaited.count > policy.maximumNotifications { awaited.removeFirst() }
    return .done
  }

  /// The user can choose again, but not for a call, which has lost its caller.
  mutating func launchFailed(of program: String, isMisconfigured: Bool, _ turn: inout Turn) -> Answer {
    startFailed(program, isMisconfigured: isMisconfigured, &turn)
    let items = awaited.map(\.item).filter { $0.program == program && !$0.content.isCall }
    _ = takeAwaited(by: program)
    for item in items where centre.findPending(item.id) == nil { showAgain(item, &turn) }
    trimNotifications(&turn)
    return .done
  }

  mutating func takeAwaited(by program: String) -> [NotificationChoice] {
    let choices = awaited.filter { $0.item.program == program }.map(\.choice)
    if !choices.isEmpty { awaited.removeAll { $0.item.program == program } }
    return choices
  }

  private func refusal(of action: String, for item: NotificationRecord) -> Refusal? {
    let isKnown =
      NotificationAction(rawValue: action) != nil || action == item.content.action
      || action == item.content.otherAction
    return isKnown ? nil : .noSuchAction(action)
  }

  private mutating func takeBack(
    _ item: NotificationRecord, action: String, owner: AppID?, _ turn: inout Turn
  ) {
    if item.fires == nil {
      _ = centre.takePending(item.id)
      turn.perform(.withdraw(item.id))
    } else {
      _ = centre.cancel(item.id, of: item.program)
    }
    turn.note(owner, .notificationAnswered(item.id, action))
  }
}

extension App {
  mutating func take(_ choice: NotificationChoice, wakes: Bool, _ turn: inout Turn) {
    choices.append(choice)
    if choices.count > turn.policy.maximumNotifications { choices.removeFirst() }
    guard wakes, isInBackground else { return }
    wake(.notification, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  mutating func tellChoices(_ turn: inout Turn) {
    guard !choices.isEmpty, registration.speaks, isAwake, isStaying, isLaunched else { return }
    for choice in choices {
      let ticket = turn.newTicket()
      // The run time of the wake is for the action.
      wakeLease?.ticket = ticket
      turn.perform(.action(id, choice.notification, choice.action, ticket))
    }
    choices = []
  }
}
