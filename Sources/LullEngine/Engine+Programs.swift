extension Engine {
  mutating func register(_ registration: Registration, _ request: RequestID, _ turn: inout Turn) {
    guard find(name: registration.name) == nil else {
      return turn.refuse(request, .nameInUse(registration.name))
    }
    guard apps.count < policy.maximumPrograms else {
      return turn.refuse(request, .tooManyPrograms(policy.maximumPrograms))
    }
    if let timeout = registration.keepAlive, timeout < policy.keepAliveMinimum {
      return turn.refuse(request, .keepAliveTooShort(timeout, minimum: policy.keepAliveMinimum))
    }
    let (now, policy) = (turn.now, policy)
    let id = apps.insert { App(id: $0, registration: registration, now: now, policy: policy) }
    turn.note(id, .registered(name: registration.name))
    launch(id, request, &turn)
  }

  /// A command turns out to speak through the library: it keeps its name and is launched anew. A guest that
  /// registers is managed from now on, under the name that it gives, and keeps its sessions.
  mutating func adopt(_ id: AppID, _ registration: Registration, _ request: RequestID, _ turn: inout Turn) {
    guard let app = apps[id], app.isStaying else { return turn.refuse(request, .gone) }
    guard !app.registration.speaks else { return turn.answer(request, .registered(id, app.state)) }
    if app.registration.isGuest {
      guard find(name: registration.name).map({ $0 == id }) ?? true else {
        return turn.refuse(request, .nameInUse(registration.name))
      }
      turn.note(id, .registered(name: registration.name))
    }
    _ = apps.update(id) { app in
      if !app.isAwake { app.rouse(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
      let command = app.registration
      app.registration = registration.bounded(by: turn.policy)
      app.registration.speaks = true
      if !command.isGuest {
        app.registration.name = command.name
        app.registration.modes.formUnion(command.modes)
        app.commandRegistration = command
      }
      app.retry.succeeded()
      app.lines.removeAll()
      app.pathsDue = .never
      app.target = registration.target
      app.launchEnds = turn.now + turn.policy.launchLimit
      app.hasEnteredBackground = false
    }
    turn.rearrangesSound = true
    launch(id, request, &turn)
  }

  private mutating func launch(_ id: AppID, _ request: RequestID, _ turn: inout Turn) {
    _ = apps.update(id) { app in
      let state: ApplicationState =
        switch (app.registration.speaks, app.registration.resumes, app.registration.launch) {
        case (false, _, _): app.target == .background ? .background : .active
        case (true, .background, _), (true, .suspended, _): .background
        case (true, .some, _): .active
        case (true, nil, .foreground): .inactive
        case (true, nil, .background): .background
        }
      turn.answer(request, .registered(id, state))
      app.launch(&turn)
    }
    settle(Int(id.slot), &turn)
  }

  mutating func leave(_ id: AppID, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    withdrawNotifications(of: id, &turn)
    guard !app.isCommand || app.registration.isGuest else {
      if app.isStaying, app.registration.speaks { touch(id, nil, &turn) { $0.fallBackToCommand(&$1) } }
      return
    }
    if !app.isAwake { turn.perform(.thaw(id)) }
    turn.note(id, .left)
    forget(id, &turn)
  }

  mutating func exited(_ id: AppID, _ status: ExitStatus, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    if app.diedOfTrial(status, turn) {
      turn.note(id, .trialFailed)
      turn.perform(.spare(id))
    }
    withdrawNotifications(of: id, &turn)
    turn.note(id, .state(.notRunning))
    turn.note(id, .exited(status))
    forget(id, &turn)
  }

  private mutating func forget(_ id: AppID, _ turn: inout Turn) {
    deadlines.set(Int(id.slot), .never)
    limits.set(Int(id.slot), .never)
    if apps[id]?.playbacks.isEmpty == false { turn.rearrangesSound = true }
    apps.remove(id)
    turn.perform(.forget(id))
  }

  private mutating func withdrawNotifications(of id: AppID, _ turn: inout Turn) {
    for notification in centre.removeAll(of: id) { turn.perform(.withdraw(notification)) }
  }
}
