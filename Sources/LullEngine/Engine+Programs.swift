extension Engine {
  /// The reason for which a registration would be refused; nil when it would be accepted.
  public func refusal(of registration: Registration) -> Refusal? {
    guard find(name: registration.name) == nil else { return .nameInUse(registration.name) }
    guard apps.count < policy.maximumPrograms else { return .tooManyPrograms(policy.maximumPrograms) }
    return registration.settings.keepAlive.flatMap(policy.refusal(ofKeepAlive:))
  }

  mutating func register(_ registration: Registration, _ turn: inout Turn) -> Answer {
    if let refusal = refusal(of: registration) { return .refused(refusal) }
    let (now, policy) = (turn.now, policy)
    let id = apps.insert { App(id: $0, registration: registration, now: now, policy: policy) }
    turn.note(id, .registered(name: registration.name))
    if !registration.isUnmanaged { launchedCame(registration, as: id, turn) }
    let (window, owesFetch) = (launching.find(registration.name)?.fetches, owesFetch(registration))
    let choices = takeAwaited(by: registration.name)
    let posts = registration.speaks ? posts(for: registration.name, registration) : []
    let isDenied = recordings.permission(of: registration.name) == .denied
    _ = apps.update(id) { app in
      app.isRecordingDenied = isDenied
      app.choices = choices
      app.owesFetch = owesFetch
      if registration.settings.modes.contains(.fetch) { app.fetches = window }
      for post in posts { _ = app.take(post, turn) }
    }
    return launch(id, &turn)
  }

  /// The program begins to speak through the library. A command keeps its name and is launched anew. An
  /// unmanaged client is managed from now on, under the name that it gives, and keeps its sessions.
  mutating func adopt(_ id: AppID, as registration: Registration, _ turn: inout Turn) -> Answer {
    guard let app = apps[id], app.isStaying else { return .gone }
    guard !app.registration.speaks else { return .registered(id, app.state) }
    if app.registration.isUnmanaged {
      guard find(name: registration.name).map({ $0 == id }) ?? true else {
        return .refused(.nameInUse(registration.name))
      }
      centre.rename(app.registration.name, to: registration.name)
      turn.note(id, .registered(name: registration.name))
      launchedCame(registration, as: id, turn)
    }
    let name = app.registration.isUnmanaged ? registration.name : app.registration.name
    let posts = posts(for: name, registration)
    var declared = registration
    declared.name = name
    let owesFetch = app.commandRegistration == nil && owesFetch(declared)
    let isDenied = recordings.permission(of: name) == .denied
    _ = apps.update(id) { app in
      app.isRecordingDenied = isDenied
      (app.owesFetch, app.errands) = (owesFetch, [])
      if !app.isAwake { app.unfreeze(Wake(reason: .unfrozen, line: nil, moment: turn.now), &turn) }
      let command = app.registration
      app.registration = registration.bounded(by: turn.policy)
      app.registration.speaks = true
      if !command.isUnmanaged {
        app.registration.name = command.name
        app.registration.settings.modes.formUnion(command.settings.modes)
        if registration.settings.accessories.isEmpty {
          app.registration.settings.accessories = command.settings.accessories
        }
        if command.settings.staysInMemory { app.registration.settings.staysInMemory = true }
        if command.settings.isPurgeable { app.registration.settings.isPurgeable = true }
        app.commandRegistration = command
      }
      app.retry.succeeded()
      app.lines.removeAll()
      app.pathsDue = .never
      app.target = registration.target
      app.launchEnds = turn.now + turn.policy.launchLimit
      app.hasEnteredBackground = false
      for post in posts { _ = app.take(post, turn) }
    }
    turn.rearrangesSound = true
    return launch(id, &turn)
  }

  private mutating func launch(_ id: AppID, _ turn: inout Turn) -> Answer {
    let answer = apps.update(id) { app in
      let state: ApplicationState =
        switch (app.registration.speaks, app.registration.resumes, app.registration.launch) {
        case (false, _, _): app.target == .background ? .background : .active
        case (true, .background, _), (true, .suspended, _): .background
        case (true, .some, _): .active
        case (true, nil, .foreground): .inactive
        case (true, nil, .background): .background
        }
      app.launch(&turn)
      return Answer.registered(id, state)
    }
    settle(Int(id.slot), &turn)
    return answer ?? .gone
  }

  mutating func leave(_ id: AppID, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    guard !app.isCommand || app.registration.isUnmanaged else {
      withdrawCalls(of: app.registration.name, &turn)
      if app.isStaying, app.registration.speaks { touch(id, &turn) { $0.fallBackToCommand(&$1) } }
      return
    }
    letGo(id, &turn)
  }

  /// It runs on, and is managed no more.
  mutating func letGo(_ id: AppID, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    withdrawCalls(of: app.registration.name, &turn)
    if !app.isAwake { turn.perform(.thaw(id)) }
    turn.note(id, .left)
    launchedEnded(app, with: nil, &turn)
    forget(id, &turn)
  }

  mutating func exited(_ id: AppID, with status: ExitStatus, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    if app.diedOfTrial(status, turn) {
      turn.note(id, .trialFailed)
      turn.perform(.exempt(id))
    }
    withdrawCalls(of: app.registration.name, &turn)
    turn.note(id, .state(.notRunning))
    turn.note(id, .exited(status))
    launchedEnded(app, with: status, &turn)
    forget(id, &turn)
  }

  private mutating func forget(_ id: AppID, _ turn: inout Turn) {
    deadlines.set(Int(id.slot), .never)
    alarms.set(Int(id.slot), .never)
    limits.set(Int(id.slot), .never)
    machine.set(Int(id.slot), false)
    if apps[id]?.playbacks.isEmpty == false { turn.rearrangesSound = true }
    apps.remove(id)
    turn.perform(.forget(id))
    trimNotifications(&turn)
  }
}
