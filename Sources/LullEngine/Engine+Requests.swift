extension Engine {
  mutating func answer(_ request: Request, _ turn: inout Turn) -> Answer {
    switch request {
    case .register(let registration): register(registration, &turn)
    case .adopt(let id, let registration): adopt(id, as: registration, &turn)
    case .transition(let id, let transition): touch(id, &turn) { $0.handle(transition, &$1) } ?? .gone
    case .purge(let id): purge(id, &turn)
    case .permitRecording(let entry): permitRecording(entry, &turn)
    case .answer(let notification, let action): answer(notification, action: action, &turn)
    case .answerAtLaunch(let notification, let action):
      answerAtLaunch(notification, action: action, &turn)
    case .launchFailed(let program, let isMisconfigured):
      launchFailed(of: program, isMisconfigured: isMisconfigured, &turn)
    case .admit(let name, let beginning, let past): admit(name, as: beginning, past: past, &turn)
    case .uninstall(let name): uninstall(name)
    case .launchable(let name, let isLaunchable): launchable(name, isLaunchable)
    case .forceQuit(let name): forceQuit(name)
    case .launch(let name, let launch): self.launch(name, for: launch, &turn)
    case .restore(let notification): restore(notification, &turn)
    case .localZone(let zone): setLocalZone(zone, &turn)
    case .open(let id, let url): touch(id, &turn) { $0.take(.link(url), $1) } ?? .gone
    case .push(let id, let push): touch(id, &turn) { $0.push(push, &$1) } ?? .gone
    case .announce(let title, let program): announce(title, of: program, &turn)
    case .lineFound(let id, let purpose, let origin, let text):
      lineFound(id, purpose: purpose, origin: origin, text: text, &turn)
    case .endSession(let id, let session): touch(id, &turn) { $0.endSession(session, &$1) } ?? .gone
    case .present(let id, let content, let old): present(content, of: id, replacing: old, &turn)
    case .schedule(let id, let content, let date, let repeats):
      schedule(content, of: id, at: date, repeats: repeats, &turn)
    case .cancel(let id, let notification): cancel(notification, of: id, &turn)
    case .openSession(let id, let session): openSession(id, as: session, &turn)
    case .hold(let id, let purpose, let offload): hold(id, purpose: purpose, offload: offload, &turn)
    case .release(let id, let line): spoken(id, &turn) { $0.release(line, &$1) } ?? .gone
    case .keepAlive(let id, let timeout, let lastRun, let since):
      spoken(id, &turn) { $0.setKeepAlive(timeout, lastRun: lastRun, since: since, &$1) } ?? .gone
    case .fetch(let id, let interval, let since):
      spoken(id, &turn) { $0.setFetch(interval, since: since, &$1) } ?? .gone
    case .wakeIn(let id, let time): spoken(id, &turn) { $0.wakeIn(time, $1) } ?? .gone
    case .beginTask(let id, let name): beginTask(id, name: name, &turn)
    case .endTask(let id, let task): spoken(id, &turn) { $0.endTask(task, &$1) } ?? .gone
    case .remaining(let id): spoken(id, &turn) { $0.remainingTime($1) } ?? .gone
    }
  }

  private mutating func hold(
    _ id: AppID, purpose: LinePurpose, offload: Offload, _ turn: inout Turn
  ) -> Answer {
    let line = newLine()
    return spoken(id, &turn) { $0.hold(line, purpose: purpose, offload: offload, &$1) } ?? .gone
  }

  private mutating func lineFound(
    _ id: AppID, purpose: LinePurpose, origin: LineOrigin, text: String, _ turn: inout Turn
  ) -> Answer {
    let line = newLine()
    return touch(id, &turn) { $0.lineFound(line, purpose: purpose, origin: origin, text: text, &$1) } ?? .gone
  }

  private mutating func beginTask(_ id: AppID, name: String, _ turn: inout Turn) -> Answer {
    let task = newTask()
    return spoken(id, &turn) { $0.beginTask(task, name: name, &$1) } ?? .gone
  }

  private mutating func newLine() -> LineID {
    LineID(lineNumbers.next() ?? lineNumbers.next(besides: apps.numbers { $0.lines.map(\.id.number) }))
  }

  private mutating func newTask() -> TaskID {
    TaskID(
      taskNumbers.next() ?? taskNumbers.next(besides: apps.numbers { $0.tasks.items.map(\.id.number) }))
  }

  mutating func newSession() -> SessionID {
    SessionID(
      sessionNumbers.next()
        ?? sessionNumbers.next(besides: apps.numbers { $0.playbacks.map(\.id.number) }))
  }
}

extension Engine.Answer {
  static var gone: Self { .refused(.gone) }
}
