import LullEngine

extension Ledger {
  func take(_ answer: Engine.Answer) {
    guard let request else { return }
    defer { request.app.map { self[$0]?.timeTasks(at: now) } }
    switch (request, answer) {
    case (.register(let registration), .registered(let app, _)):
      let record = Record(id: app, registration: registration, now: now)
      record.isLaunched = registration.resumes != nil
      record.isRecordingDenied = recordings[registration.name] == .denied
      if !registration.speaks { startedAsCommand(record) }
      add(record)
    case (.adopt(let app, let registration), .registered):
      self[app].map { adopted($0, registration) }
    case (.hold(let app, let kind, let offload), .line(let id)):
      self[app]?.lines.append(Record.Line(id: id, kind: kind, offload: offload, lastReal: now))
    case (.lineFound(let app, let kind, let origin, _), .line(let id)):
      self[app]?.lines.append(Record.Line(id: id, kind: kind, offload: [], origin: origin, lastReal: now))
    case (.release(let app, let id), .done): self[app]?.lines.removeAll { $0.id == id }
    case (.keepAlive(let app, let timeout, let told, let since), .done):
      self[app].map { installed($0, timeout: timeout, told: told, since: since) }
    case (.beginTask(let app, _), .task(let id, _)):
      self[app]?.tasks.append(Record.Task(id: id))
      self[app]?.isAtMessageBoundary = false
    case (.endTask(let app, let id), .done): self[app]?.tasks.removeAll { $0.id == id }
    case (.openSession(let app, let session), .session(let id)):
      self[app]?.sounds.append(Record.Sound(id: id, session: session))
      self[app]?.opensSession(now, policy)
    case (.endSession(let app, let id), .done): self[app]?.ended(id)
    case (.transition(let app, let command), .done): self[app].map { commanded($0, command) }
    case (.admit(let name, _, _), .done): launchable[name] = launchable[name] ?? true
    case (.uninstall(let name), .done): launchable[name] = nil
    case (.launchable(let name, let isLaunchable), .done):
      if launchable[name] != nil { launchable[name] = isLaunchable }
    default: break
    }
  }

  private func adopted(_ record: Record, _ registration: Registration) {
    guard !record.registration.speaks else { return }
    let (name, modes) = (record.registration.name, record.registration.settings.modes)
    let wasUnmanaged = record.registration.isUnmanaged
    if !wasUnmanaged { record.command = record.registration }
    (record.fetch, record.pushes) = (nil, [])
    record.wait = nil
    record.refusals = 0
    record.lines = []
    record.registration = registration
    if !wasUnmanaged {
      record.registration.name = name
      record.registration.settings.modes.formUnion(modes)
      if registration.settings.accessories.isEmpty {
        record.registration.settings.accessories = record.command?.settings.accessories ?? []
      }
      if record.command?.settings.isPurgeable == true { record.registration.settings.isPurgeable = true }
    }
    record.registration.speaks = true
    record.isRecordingDenied = recordings[record.registration.name] == .denied
    record.launchedAt = now
    record.isLaunched = registration.resumes != nil
    record.hasEnteredBackground = registration.resumes != nil
    record.target = Record.target(registration)
  }

  func installed(_ record: Record, timeout: Interval?, told: Moment?, since: Moment?) {
    guard let timeout = timeout.map({ min($0, policy.longest) }) else { return record.keepAlive = nil }
    if let told = told.map({ min($0, now) }) { record.lastRun = max(record.lastRun ?? told, told) }
    record.keepAlive = Record.KeepAlive(
      timeout: timeout, installed: now, base: record.keepAlive?.base ?? min(since ?? now, now))
  }

  private func commanded(_ record: Record, _ command: Transition) {
    switch command {
    case .foreground where record.isStaying: record.target = .foreground
    case .background where record.isStaying: record.target = .background
    case .suspend where record.isStaying:
      record.target = .background
      (record.wake, record.keepAliveRun, record.wait) = (nil, nil, nil)
      (record.fetch, record.pushes) = (nil, [])
      record.refusals = 0
      record.trial = .over
    case .quit where record.isStaying && !record.isHeld: record.ending = (now, .quit)
    case .wake where record.isStaying: record.trial = .over
    case .wake, .suspend, .foreground, .background, .quit, .kill: break
    }
  }
}
