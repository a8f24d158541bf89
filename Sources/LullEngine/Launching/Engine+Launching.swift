// The programs that are started again.
extension Engine {
  /// The installed programs, in the order of their names.
  public var installedPrograms: [InstalledView] { launching.entries.compactMap(\.view) }

  /// The installed program of that name.
  public func installed(_ name: String) -> InstalledView? { launching.find(name)?.view }

  /// True for a program that is being started, or has been and may still register.
  public func isOnItsWay(_ name: String) -> Bool { launching.find(name)?.isOnItsWay ?? false }

  /// True for a program whose lines are kept, and that somebody else is about to start again.
  public func isLeftToOthers(_ name: String, at now: Moment) -> Bool {
    launching.find(name)?.isLeftToOthers(at: now) ?? false
  }

  // MARK: Installed or not

  /// A program that is installed already keeps its state.
  mutating func admit(
    _ name: String, as beginning: InstalledBeginning, past: InstalledPast, _ turn: inout Turn
  ) -> Answer {
    let old = launching.find(name)
    guard old?.isInstalled != true else { return .done }
    guard launching.entries.count(where: \.isInstalled) < policy.maximumPrograms else {
      return .refused(.tooManyPrograms(policy.maximumPrograms))
    }
    let (now, policy, state) = (turn.now, policy, firstState(of: name, beginning, past: past, turn))
    launching.updateOrInsert(name) { $0.admit(at: state, past, at: now, policy) }
    if beginning == .lost, managed(name) == nil, old?.state ?? .ended == .ended { crashed(name, &turn) }
    return .done
  }

  private func firstState(
    of name: String, _ beginning: InstalledBeginning, past: InstalledPast, _ turn: Turn
  ) -> LaunchEntry.State {
    if beginning == .quit { return .quit }
    if let id = managed(name) { return .running(id, startEnds: nil) }
    switch beginning {
    case .boot: return .due(Launch(.boot))
    case .waiting:
      let reason = past.reason ?? .boot
      guard let starts = past.starts else { return .due(Launch(reason)) }
      return .waiting(until: min(starts, turn.now + policy.crashWaitLast), reason)
    case .returning: return .waiting(until: turn.now + policy.returnTime, past.reason ?? .boot)
    case .lost, .ended, .quit: return .ended
    }
  }

  private func managed(_ name: String) -> AppID? {
    find(name: name).flatMap { apps[$0]?.registration.isUnmanaged == false ? $0 : nil }
  }

  mutating func uninstall(_ name: String) -> Answer {
    launching.update(name) { $0.uninstall() }
    return .done
  }

  mutating func launchable(_ name: String, _ isLaunchable: Bool) -> Answer {
    launching.update(name) { if $0.isInstalled { $0.isLaunchable = isLaunchable } }
    return .done
  }

  func isLaunchable(_ name: String) -> Bool {
    launching.find(name).map { $0.isInstalled && $0.isLaunchable } ?? false
  }

  mutating func forceQuit(_ name: String) -> Answer {
    launching.update(name) { $0.quit() }
    return .done
  }

  mutating func launch(_ name: String, for launch: Launch, _ turn: inout Turn) -> Answer {
    guard managed(name) == nil || isOnItsWay(name) && launch.post != nil else {
      return .refused(.nameInUse(name))
    }
    let isKnown = launching.find(name) != nil
    guard isKnown || launching.entries.count(where: { !$0.isInstalled }) < policy.maximumPrograms else {
      return .refused(.tooManyPrograms(policy.maximumPrograms))
    }
    let (now, policy) = (turn.now, policy)
    let refusal = launching.updateOrInsert(name) { entry -> Refusal? in
      if launch.reason == .user { entry.forgiven() }
      switch entry.state {
      case .quit where launch.reason != .user: return .wasQuit(name)
      case .starting, .running: return entry.takes(launch, policy) ? nil : .busy(.launching)
      case .due(let first) where first.post != nil:
        return entry.takes(launch, policy) ? nil : .busy(.launching)
      default: return entry.starts(for: launch, policy).map { .crashes(name, wait: $0 - now) }
      }
    }
    return refusal.map(Answer.refused) ?? .done
  }

  // MARK: Programs come and go

  mutating func launchedCame(_ registration: Registration, as id: AppID, _ turn: Turn) {
    let (now, policy) = (turn.now, policy)
    launching.update(registration.name) { entry in
      guard let reason = registration.returnsFor else {
        return entry.came(id, speaks: registration.speaks, at: now, policy)
      }
      entry.returned(id, for: reason, at: now)
    }
  }

  mutating func posts(for name: String, _ registration: Registration) -> [Post] {
    (registration.link.map { [Post.link($0)] } ?? [])
      + (launching.update(name) { $0.takePosts() } ?? [])
  }

  /// Without a status the program goes on and is not managed any more.
  mutating func launchedEnded(_ app: App, with status: ExitStatus?, _ turn: inout Turn) {
    // An unmanaged client of that name is another program.
    guard !app.registration.isUnmanaged else { return }
    let (name, now, policy) = (app.registration.name, turn.now, policy)
    let isThisOne = launching.update(name) { entry in
      // A second process would be started for one that goes on.
      let window = status == nil ? nil : app.keepAlive ?? app.keepAliveAtEnd
      entry.keep(window, wasLaunched: app.isLaunched, at: now, policy)
      entry.keep(status == nil ? nil : app.fetches)
      guard case .running(app.id, _) = entry.state else { return false }
      entry.state = .ended
      if status == nil { _ = entry.takePosts() }
      return entry.isInstalled
    }
    if isThisOne == true, let status, app.crashed(with: status, turn) { crashed(name, &turn) }
    launching.update(name) { $0.startForPosts(policy) }
  }

  private mutating func crashed(_ name: String, _ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    let news = launching.update(name) { ($0.crashed(at: now, policy), $0.crashes) }
    if let (wait, crashes) = news { turn.note(nil, .startsAgain(name: name, crashes: crashes, after: wait)) }
  }

  mutating func startFailed(_ name: String, isMisconfigured: Bool, _ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    let news = launching.update(name) { entry -> (Interval, Int)? in
      guard case .starting(let launch, _) = entry.state else { return nil }
      let wait = entry.failed(for: launch.reason, isMisconfigured: isMisconfigured, at: now, policy)
      return entry.isInstalled ? wait.map { ($0, entry.crashes) } : nil
    }
    guard let (wait, crashes) = news ?? nil else { return }
    turn.note(nil, .startsAgain(name: name, crashes: crashes, after: wait))
  }

  mutating func linesWait(_ name: String, after ending: KeptEnding, _ turn: Turn) {
    let (now, policy) = (turn.now, policy)
    launching.updateOrInsert(name) { $0.linesWait(after: ending, at: now, policy) }
  }

  // MARK: Time passes

  mutating func runLaunchingKeepAlives(_ turn: inout Turn) {
    let (now, policy) = (turn.now, policy)
    for entry in launching.entries where entry.mayRunKeepAlive(at: now) {
      launching.update(entry.name) { $0.runKeepAlive(at: now, policy) }
      turn.note(nil, .keepAliveDue(name: entry.name))
    }
  }

  mutating func startForFetches(_ turn: inout Turn) {
    for entry in launching.entries where entry.mayFetch(turn) {
      launching.update(entry.name) { $0.startForFetch(turn) }
      turn.note(nil, .fetchDue(name: entry.name))
    }
  }

  /// Starts that have taken too long have failed. The tick alone ends them, since all that came in time is
  /// told before it. A keep-alive that was due meanwhile is run in the same turn.
  mutating func giveUpLaunches(_ turn: inout Turn) {
    guard turn.enforcesLimits, launching.deadline <= turn.now else { return }
    for entry in launching.entries where entry.launchEnds ?? .never <= turn.now {
      turn.perform(.giveUpLaunch(entry.name))
      _ = launchFailed(of: entry.name, isMisconfigured: false, &turn)
    }
  }

  mutating func startLaunches(_ turn: inout Turn) {
    guard launching.isBusy || launching.deadline <= turn.now else { return }
    let (now, apps, policy) = (turn.now, apps, policy)
    var lost: [(name: String, count: Int)] = []
    launching.updateEach { entry in
      entry.endStart(at: now, apps)
      let count = entry.pass(to: now, policy)
      if count > 0 { lost.append((entry.name, count)) }
    }
    for (name, count) in lost { turn.note(nil, .linksLost(name: name, count: count)) }
    var launches: [(name: String, launch: Launch)] = []
    while let next = launching.next(policy) {
      launching.update(next.name) { $0.launched(next.launch, at: now, policy) }
      launches.append(next)
    }
    launching.settle(turn)
    // The supervisor may die in between: a launch that nobody knows of would be made twice.
    if launching.takeNews() { turn.perform(.recordInstalled) }
    for (name, launch) in launches { turn.perform(.launch(name, launch)) }
  }
}

extension LaunchEntry {
  fileprivate mutating func endStart(at now: Moment, _ apps: AppSlots) {
    guard case .running(let id, let startEnds?) = state else { return }
    guard let app = apps[id], !app.hasStarted else { return state = .running(id, startEnds: nil) }
    guard startEnds <= now else { return }
    // A program on the library has the limits of its launch.
    state = .running(id, startEnds: app.registration.speaks ? .never : nil)
  }

  fileprivate var view: InstalledView? {
    guard isInstalled else { return nil }
    let (state, reason, starts): (InstalledState, LaunchReason, Moment?) =
      switch self.state {
      case .running: (.running, lastReason, nil)
      case .starting(let launch, _): (.starting, launch.reason, nil)
      case .due(let launch): (.waiting, launch.reason, nil)
      case .waiting(let until, let reason): (hasFailed ? .failed : .waiting, reason, until)
      case .misconfigured(let reason): (.misconfigured, reason, nil)
      case .ended: (.ended, keepAlive == nil ? lastReason : .keepalive, keepAlive?.due)
      case .quit: (.quit, lastReason, nil)
      }
    return InstalledView(
      name: name, state: state, reason: reason, crashes: crashes, starts: starts, memory: memory,
      past: past, lastKeepAliveRun: keepAlive?.lastRun)
  }
}

extension App {
  fileprivate func crashed(with status: ExitStatus, _ turn: Turn) -> Bool {
    switch exit {
    case .killed(let reason): return EndReason(reason).isFault
    case .ending: return false
    case .staying: break
    }
    guard Policy.isFault(status) else { return false }
    return askedToEnd.map { turn.now - $0 > turn.policy.endingTime } ?? true
  }

  /// The launch is over when a program on the library has its messages, or a command was frozen once.
  fileprivate var hasStarted: Bool {
    guard !registration.speaks else { return isLaunched && mail.isEmpty }
    if case .due = trial { return false }
    return true
  }
}
