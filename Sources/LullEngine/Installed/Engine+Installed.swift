// The programs that come back.
extension Engine {
  /// A program is installed from now on. One that is known already is what it was.
  mutating func install(
    _ name: String, as beginning: InstalledBeginning, past: InstalledPast, _ turn: inout Turn
  ) -> Answer {
    guard installed.find(name) == nil else { return .done }
    guard installed.programs.count < policy.maximumPrograms else {
      return .refused(.tooManyPrograms(policy.maximumPrograms))
    }
    let stage = stage(of: name, beginning, past: past, turn)
    installed.insert(InstalledProgram(name: name, stage: stage, past, at: turn.now, policy))
    if beginning == .lost, managed(name) == nil { crashed(name, &turn) }
    return .done
  }

  private func stage(
    of name: String, _ beginning: InstalledBeginning, past: InstalledPast, _ turn: Turn
  ) -> InstalledProgram.Stage {
    if beginning == .quit { return .quit }
    if let id = managed(name) { return .running(id, startEnds: nil) }
    switch beginning {
    case .boot: return .due(.boot)
    case .waiting:
      let reason = past.reason ?? .boot
      guard past.crashes > 0 else { return .due(reason) }
      return .waiting(until: turn.now + InstalledProgram.wait(after: past.crashes, policy), reason)
    case .returning: return .waiting(until: turn.now + policy.returnTime, past.reason ?? .boot)
    case .lost, .ended, .quit: return .ended
    }
  }

  private func managed(_ name: String) -> AppID? {
    find(name: name).flatMap { apps[$0]?.registration.isUnmanaged == false ? $0 : nil }
  }

  mutating func uninstall(_ name: String) -> Answer {
    installed.remove(name)
    return .done
  }

  /// The file of a program can be used now, or not. What is not installed is passed over.
  mutating func launchable(_ name: String, _ isLaunchable: Bool) -> Answer {
    installed.update(name) { $0.isLaunchable = isLaunchable }
    return .done
  }

  /// The user has quit the program: nothing starts it until the user does.
  mutating func forceQuit(_ name: String) -> Answer {
    installed.update(name) { program in
      program.forgiven()
      program.stage = .quit
    }
    return .done
  }

  /// Somebody or something needs the program now. When this is answered `.done`, the shell starts it: it need
  /// not wait for its turn.
  mutating func launch(_ name: String, for reason: LaunchReason, _ turn: inout Turn) -> Answer {
    guard managed(name) == nil else { return .refused(.nameInUse(name)) }
    let (now, policy) = (turn.now, policy)
    let refusal = installed.update(name) { program -> Refusal? in
      if reason == .user { program.forgiven() }
      switch program.stage {
      case .quit where reason != .user: return .wasQuit(name)
      case .waiting(let until, _) where program.diesAtEachStart(policy) && !reason.isOfUser:
        program.stage = .waiting(until: until, reason)
        return .crashes(name, wait: until - now)
      default: program.stage = .starting(reason)
      }
      return nil
    }
    if let refusal = refusal ?? nil { return .refused(refusal) }
    return .done
  }

  // MARK: Programs come and go

  mutating func installedCame(_ registration: Registration, as id: AppID, _ turn: Turn) {
    installed.update(registration.name) { program in
      guard let reason = registration.returnsFor else { return program.came(id, at: turn.now, turn.policy) }
      program.returned(id, for: reason, at: turn.now)
    }
  }

  /// A program has ended; nil: it goes on and is not managed any more.
  mutating func installedEnded(_ app: App, with status: ExitStatus?, _ turn: inout Turn) {
    let (name, now, policy) = (app.registration.name, turn.now, policy)
    let isThisOne = installed.update(name) { program in
      // A second process would be started for one that goes on.
      let window = status == nil ? nil : app.keepAlive ?? app.keepAliveAtEnd
      program.keep(window, wasLaunched: app.isLaunched, at: now, policy)
      guard case .running(app.id, _) = program.stage else { return false }
      program.stage = .ended
      return true
    }
    if isThisOne == true, let status, app.crashed(with: status, turn) { crashed(name, &turn) }
  }

  private mutating func crashed(_ name: String, _ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    let news = installed.update(name) { ($0.crashed(at: now, policy), $0.crashes) }
    if let (wait, crashes) = news { turn.note(nil, .startsAgain(name: name, crashes: crashes, after: wait)) }
  }

  /// The start of a program that does not run yet has failed.
  mutating func installedFailed(_ name: String, isMistake: Bool, _ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    let news = installed.update(name) { program -> (Interval, Int)? in
      guard case .starting(let reason) = program.stage else { return nil }
      guard !isMistake else {
        program.mistaken(for: reason)
        return nil
      }
      return (program.failed(for: reason, at: now, policy), program.crashes)
    }
    guard let (wait, crashes) = news ?? nil else { return }
    turn.note(nil, .startsAgain(name: name, crashes: crashes, after: wait))
  }

  // MARK: Time passes

  /// Starts the programs that do not run and whose keep-alive may run now.
  mutating func runInstalledKeepAlives(_ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    for program in installed.programs where program.mayRunKeepAlive(at: now) {
      installed.update(program.name) { $0.runKeepAlive(at: now, policy) }
      turn.note(nil, .keepAliveDue(name: program.name))
    }
  }

  /// Starts what is due, a few at once, when all else of the turn is done.
  mutating func startInstalled(_ turn: inout Turn) {
    guard installed.isBusy || installed.deadline <= turn.now else { return }
    let (now, apps) = (turn.now, apps)
    installed.updateEach { $0.pass(to: now, apps) }
    var launches: [(name: String, reason: LaunchReason)] = []
    while installed.starting < policy.startsAtOnce, let next = installed.next() {
      installed.update(next.name) { $0.stage = .starting(next.reason) }
      launches.append(next)
    }
    installed.settle()
    // The supervisor may die in between: a launch that nobody knows of would be made twice.
    if installed.takeNews() { turn.perform(.keepInstalled) }
    for (name, reason) in launches {
      turn.perform(.launch(name, reason))
      turn.note(nil, .launched(name: name, reason))
    }
  }
}

extension InstalledProgram {
  fileprivate mutating func pass(to now: Moment, _ apps: Table) {
    switch stage {
    case .waiting(let until, let reason) where until <= now: stage = .due(reason)
    case .running(let id, let startEnds?):
      guard let app = apps[id], !app.hasStarted else { return stage = .running(id, startEnds: nil) }
      guard startEnds <= now else { return }
      // One on the library has the limits of its launch.
      stage = .running(id, startEnds: app.registration.speaks ? .never : nil)
    case .running, .starting, .due, .waiting, .mistaken, .ended, .quit: break
    }
  }
}

extension LaunchReason {
  /// True for what a person wants at this moment.
  fileprivate var isOfUser: Bool {
    switch self {
    case .user, .url, .notification: true
    case .data, .keepalive, .boot, .crash: false
    }
  }
}
