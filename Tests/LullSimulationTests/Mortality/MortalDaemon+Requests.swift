import LullEngine

// The requests to a daemon that serves.
extension MortalDaemon {
  func answer(_ news: News) {
    switch news {
    case .register(let life): register(life)
    case .schedule(let life): schedule(life)
    case .started(let parent): started(parent)
    case .attach(let parent): attach(parent)
    case .client(let client): answer(client)
    case .end(let client, let life): end(life, client)
    }
  }

  // MARK: Programs

  private func register(_ life: MortalLife) {
    // The name belongs to a program that is to register again.
    guard awaited.allSatisfy({ $0.name != life.name || $0 === life }) else { return }
    awaited.removeAll { $0 === life }
    defer { askAgain() }
    guard !life.isOver, managed(life.name) == nil else { return }
    var registration = registration(of: life)
    registration.resumes = life.hasRegistered ? .background : nil
    guard let program = register(registration, life) else { return }
    life.hasRegistered = true
    program.says.append((world.boottime + 2_000_000_000, .done(program.id, Ticket(.max))))
    if ending?.endsPrograms == true { end(program) }
    guard life.role.keepsAlive else { return }
    _ = ask(
      .keepAlive(
        program.id, .seconds(600), lastRun: life.lastRun.map(moment(atBoottime:)),
        since: moment(atBoottime: life.since)))
  }

  /// The clients that quit a program which was awaited have their answer now.
  func askAgain() {
    for client in quitters { hear(.client(client)) }
    quitters = []
  }

  private func schedule(_ life: MortalLife) {
    guard let program = managed(life.name), program.life === life, !life.isOver else { return }
    let notice = world.rules.newNotice(after: Int64(world.chance.below(120_000_000_000)), world)
    let content = LocalNotification(body: notice.body, sound: .default)
    let wait = Interval(nanoseconds: notice.due - world.now)
    let answer = ask(.schedule(program.id, content, .after(wait), repeats: nil))
    if case .notification = answer { plan(.promise(notice)) }
    // A person takes back what is shown, but not at once.
    for old in engine.notifications.filter({ $0.fires == nil }).dropLast(3) {
      _ = ask(.answer(old.id, action: "dismiss"))
    }
  }

  /// A parent hands its command over: a new one, which waits at its gate, or one that no daemon knows.
  private func started(_ parent: MortalParent) {
    guard let life = parent.life, !life.isOver, world.parents.contains(where: { $0 === parent }) else {
      return plan(.refuse(parent))
    }
    let name = life.name
    let isTaken = managed(name) != nil || (left + awaited).contains { $0.name == name }
    let wasQuit = life.isGated && parent.reason != nil && engine.installed(name)?.state == .quit
    guard !isTaken, !wasQuit, ending?.endsPrograms != true else { return plan(.refuse(parent)) }
    var registration = registration(of: life)
    registration.keepAliveLastRun = engine.installed(name)?.lastKeepAliveRun
    guard register(registration, life) != nil else { return plan(.refuse(parent)) }
    underWay.removeAll { $0.role.name == name }
    restarting.removeAll { $0 == name }
    if life.role.hasSocket, life.sockets.isEmpty {
      life.sockets = kept.filter { $0.name == name }
      if life.sockets.isEmpty { life.sockets = [world.rules.newSocket(name)] }
    }
    drop(name)
    plan(.open(parent))
  }

  private func attach(_ parent: MortalParent) {
    guard let life = parent.life else { return plan(.refuse(parent)) }
    // A program that is left alone has no place at which it could begin to run.
    if left.contains(where: { $0 === life }) { return plan(life.isGated ? .refuse(parent) : .open(parent)) }
    if table.contains(where: { $0.life === life }) { return plan(.open(parent)) }
    guard life.isOver else { return started(parent) }
    // The program has ended meanwhile; its parent tells of the end if nobody else has.
    parent.stage = .lost
  }

  /// The terminal of a program that was not detached is gone.
  func parentDied(_ parent: MortalParent) {
    parent.stage = .over
    guard parent.role.kind == .run, let life = parent.life, !life.isOver,
      let program = table.first(where: { $0.life === life }), isServing
    else { return }
    life.isAsked = true
    _ = ask(.transition(program.id, .quit))
  }

  // MARK: Launches

  func launch(_ name: String, _ reason: LaunchReason) {
    guard let role = world.roles.first(where: { $0.name == name }) else { return }
    world.rules.launches(role, for: reason)
    // Other programs may have been tried before this one, and have failed.
    let decided = reason == .keepalive ? engine.installed(name)?.lastKeepAliveRun : nil
    let parent = MortalParent(role.started, reason, at: decided.map(boottime(at:)) ?? world.boottime)
    guard (left + awaited).allSatisfy({ $0.name != name }), world.add(parent) else {
      // Another keeper of that name lives.
      _ = ask(.launchFailed(program: name))
      return
    }
    underWay.append(parent)
  }

  /// Something has come on a kept line.
  func socketIsReady(_ line: MortalSocket) {
    guard isServing, managed(line.name) == nil else { return }
    world.rules.causes(.data, of: line.name)
    feed(.linesReady(line.name))
  }

  private func start(_ client: MortalClient, _ launch: Launch = Launch(.user)) {
    let name = client.role.name
    if managed(name) == nil { _ = ask(.launch(name, launch)) }
    plan(.answer(client, promise: nil))
  }

  /// Somebody answers a notification of a program that has ended.
  private func choose(_ client: MortalClient, _ name: String) {
    let shown = engine.notifications.first { $0.program == name && $0.fires == nil }
    guard let shown, managed(name) == nil, engine.installed(name)?.state != .quit else {
      return plan(.answer(client, promise: nil))
    }
    _ = ask(.answerAtLaunch(shown.id, action: "default"))
    start(client, Launch(.notification))
  }

  // MARK: Clients

  private func answer(_ client: MortalClient) {
    let name = client.role.name
    if let reason = client.verb.reason { world.rules.causes(reason, of: name) }
    switch client.verb {
    case .start: start(client)
    case .open: start(client, Launch(.url, url: "tel:1"))
    case .push where client.role.isInstalled: start(client, Launch(.push(RemoteNotification(payload: [1]))))
    case .push: plan(.answer(client, promise: nil))
    case .choose: choose(client, name)
    case .quit: quit(client, name)
    case .restart: restart(client, name, keepsLines: false)
    case .restartKeepingLines: restart(client, name, keepsLines: true)
    case .stopDaemon, .stopAll: stop(client)
    case .upgrade: upgrade(client)
    }
  }

  private func quit(_ client: MortalClient, _ name: String) {
    restarting.removeAll { $0 == name }
    // A program that is about to register again is not known yet: the answer waits for it.
    if managed(name) == nil, awaited.contains(where: { $0.name == name }) { return quitters.append(client) }
    let program = managed(name)
    guard program != nil || engine.installed(name) != nil else { return plan(.answer(client, promise: nil)) }
    if let program { ends(program, as: .quit) }
    // A program that is ended to be started again was recorded as running, and is quit for the engine
    // already.
    _ = ask(.forceQuit(name))
    noteInstalled()
    if let program { _ = ask(.transition(program.id, .quit)) } else { drop(name) }
    plan(.answer(client, promise: program?.endWord == .quit ? program?.life : nil))
  }

  /// The reason is recorded at once: the engine may have asked the program to end before, and says nothing
  /// more.
  private func ends(_ program: Managed, as word: EndReason) {
    guard program.endWord == nil, program.exit == nil else { return }
    program.endWord = word
    program.life.isAsked = true
    record(.program(entry(program)))
  }

  private func restart(_ client: MortalClient, _ name: String, keepsLines: Bool) {
    guard let program = managed(name), program.exit == nil else { return start(client) }
    guard program.life.role.kind != .library else { return plan(.answer(client, promise: nil)) }
    if keepsLines {
      keep(program.life.sockets.filter { line in !kept.contains { $0 === line } })
    }
    // The guard has the lines before the program can end.
    hear(.end(client, program.life))
  }

  private func end(_ life: MortalLife, _ client: MortalClient) {
    client.awaited = life
    guard let program = table.first(where: { $0.life === life }) else { return }
    ends(program, as: .restarted)
    if client.verb == .restart {
      restarting.append(life.name)
      _ = ask(.forceQuit(life.name))
    }
    _ = ask(.transition(program.id, client.verb == .restart ? .quit : .kill))
  }

  private func stop(_ client: MortalClient) {
    ending = (client, client.verb == .stopAll)
    plan(.guardian(.stopping))
    guard client.verb == .stopAll else { return }
    for program in table { end(program) }
  }

  /// The next guard has what this one had, and starts the next daemon.
  private func upgrade(_ client: MortalClient) {
    plan(.answer(client, promise: nil))
    guard world.guardian?.isWatching == true else { return }
    plan(.changeGuard)
    plan(.leave(.forUpgrade))
  }

  private func end(_ program: Managed) {
    ends(program, as: .stoppedWithDaemon)
    world.rules.forgives(program.life.name)
    _ = ask(.transition(program.id, .quit))
  }

  func finish() {
    record(.finished)
    if let client = ending?.client { plan(.answer(client, promise: nil)) }
    plan(.leave(.inGoodOrder))
  }
}

extension MortalRole {
  /// The role as its keeper starts it: a program on the library that nobody has started by hand is a command,
  /// too.
  var started: MortalRole {
    var role = self
    if role.kind != .keeper {
      role = MortalRole(name: name, kind: .keeper, isInstalled: isInstalled, keepsAlive: keepsAlive)
    }
    return role
  }
}

extension MortalWorld {
  /// True for a record that a mistake leaves out of the file.
  func loses(_ record: LedgerRecord) -> Bool {
    switch (record, mistake) {
    case (.program, .forgetsPrograms), (.ended, .forgetsEnds), (.exited, .forgetsEnds): true
    case (.installed, .forgetsInstalled), (.withdrawn, .forgetsShown): true
    case (.notification(let entry), .forgetsShown): !entry.isScheduled
    case (.progress, .forgetsProgress): true
    default: false
    }
  }

  /// The mistake of a daemon that wakes all sleepers at its begin, also where its guard has.
  func mistakeWakesAll() {
    for life in lives {
      life.isAsleep = life.isAsleep || life.canAct
      life.isFrozen = life.isAsleep
      thaw(life, isCaused: false)
    }
  }
}
