import LullEngine

// The engine of a daemon, and the deeds that its effects ask for.
extension MortalDaemon {
  func feed(_ event: Event) {
    var effects: [Effect] = []
    engine.handle(event, at: moment, effects: &effects)
    take(effects)
  }

  func ask(_ request: Engine.Request, _ answered: (Engine.Answer) -> Void = { _ in }) -> Engine.Answer {
    var effects: [Effect] = []
    let answer = engine.handle(request, at: moment, effects: &effects)
    answered(answer)
    take(effects)
    return answer
  }

  /// Registers a program; the record of it is written with those of the turn.
  func register(_ registration: Registration, _ life: MortalLife) -> Managed? {
    var program: Managed?
    _ = ask(.register(registration)) { answer in
      guard case .registered(let id, _) = answer else { return }
      let new = Managed(id, life, since: life.since)
      // The start for a keep-alive is a run of it, of which the next daemon must know as of any other.
      new.ranAt = registration.keepAliveLastRun.map(boottime(at:))
      new.fetchedAt = registration.fetchedAt.map(boottime(at:))
      table.append(new)
      record(.program(entry(new)))
      program = new
    }
    return program
  }

  func registration(of life: MortalLife) -> Registration {
    var registration = Registration(name: life.name, modes: .voip)
    registration.launch = .background
    registration.settings.staysInMemory = true
    guard life.role.kind != .library else { return registration }
    registration.speaks = false
    registration.settings.keepAlive = life.role.keepsAlive ? .seconds(600) : nil
    if life.role.fetches {
      registration.settings.modes.insert(.fetch)
      registration.settings.fetch = .seconds(300)
    }
    return registration
  }

  func entry(_ program: Managed) -> ProgramEntry {
    let life = program.life
    var entry = ProgramEntry(
      name: life.name, process: life.process, suspension: .cgroup, cgroup: life.name, exit: program.exit)
    guard life.role.kind != .library else { return entry }
    entry.command = CommandEntry(
      run: "run", words: life.name, startedAt: program.since,
      keepAliveRanAt: world.mistake == .forgetsKeepAlives ? nil : program.ranAt,
      fetchedAt: program.fetchedAt, ending: engine.ending(of: program.id),
      endWord: program.endWord.map { OpenWord($0) },
      askedToEndAt: engine.askedToEnd(of: program.id).map(boottime(at:)))
    return entry
  }

  /// Takes the records of effects, and the effects as deeds.
  func take(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .recordInstalled:
        noteInstalled()
        continue
      case .record(let item):
        record(.notification(NotificationEntry(item, self)))
        continue
      case .drop(let id, let isScheduled):
        record(.withdrawn(id, isScheduled: isScheduled))
        continue
      case .recordPermission(let entry):
        record(.recording(entry))
        continue
      case .note(let id, let note):
        if let id, case .woke(let reason, _) = note { managed(id)?.wokeFor = reason }
        continue
      case .runKeepAlive(let id, _), .runFetch(let id, _), .terminate(let id), .kill(let id, _):
        guard let program = managed(id) else { continue }
        if case .runKeepAlive = effect { program.ranAt = world.boottime }
        if case .runFetch = effect { program.fetchedAt = world.boottime }
        if program.life.role.kind != .library { record(.program(entry(program))) }
      default: break
      }
      deeds.append(.effect(effect))
    }
  }

  func noteInstalled() {
    for view in engine.installedPrograms { record(.installed(installed(view))) }
  }

  /// A program that is ended to be started again is not quit, also when one daemon ends it and the next one
  /// starts it.
  func installed(_ view: InstalledView) -> InstalledEntry {
    var entry = InstalledEntry(view, self)
    if entry.state == .quit, restarting.contains(entry.name) { entry.state = .running }
    if world.mistake == .forgetsReasons { entry.cause = nil }
    return entry
  }

  // MARK: Deeds

  func perform(_ deed: Deed) {
    world.detail("deed", "\(deed)")
    switch deed {
    case .effect(let effect): perform(effect)
    case .takeBack(let entry, let life): takeBack(entry, life)
    case .freeze(let id, let ticket): freeze(id, ticket)
    case .open(let parent):
      if case .asked(number) = parent.stage { parent.stage = .attached(number) }
      guard let life = parent.life, life.isGated, !life.isOver, parent.stage == .attached(number) else {
        return
      }
      life.isGated = false
      world.rules.begins(life, world, of: parent)
    case .refuse(let parent):
      if let life = parent.life, life.isGated { world.end(life, .exited(1), all: true) }
      parent.stage = .over
    case .tell(let parent): parent.isTold = true
    case .answer(let client, let life):
      client.hasEnded = true
      world.rules.answered(client, life)
    case .guardian(let news): world.guardian?.inbox.append(news)
    case .promise(let notice): world.rules.promises(notice)
    case .changeGuard: world.replaceGuard(keeping: kept)
    case .leave(let death):
      for program in table { world.thaw(program.life, isCaused: true) }
      if death == .inGoodOrder { world.rules.daemonLeaves(self, world) }
      world.daemonDies(death)
    }
  }

  func perform(_ effect: Effect) {
    switch effect {
    case .freeze(let id, let ticket): decide(id, ticket)
    case .watch(let id, let ticket, _): watch(id, ticket)
    case .thaw(let id): thaw(id)
    case .deliver(let id, let message, let ticket):
      if message == .willTerminate {
        managed(id)?.life.isAsked = true
        managed(id)?.life.endsAt = world.now + 1_000_000
      } else {
        managed(id)?.says.append((world.boottime + 1_000_000, .did(id, ticket)))
      }
    case .runKeepAlive(let id, let ticket):
      guard let program = managed(id), let ranAt = program.ranAt else { return }
      world.rules.keepAliveRuns(program.life, at: ranAt)
      if program.life.role.kind == .library { program.says.append((world.boottime, .done(id, ticket))) }
    case .terminate(let id):
      guard let life = managed(id)?.life else { return }
      guard !life.isGated else { return world.end(life, .signaled(15), all: true) }
      life.endsAt = min(life.endsAt, world.now + Int64(world.chance.below(7_000_000_000)))
      life.isAsked = true
    case .kill(let id, _):
      guard let life = managed(id)?.life else { return }
      life.isAsked = true
      world.end(life, .signaled(9), all: true)
    case .launch(let name, let launch):
      if world.mistake != .startsNothingAgain, ending == nil { self.launch(name, launch.reason) }
    case .giveUpLaunch(let name):
      for parent in underWay where parent.role.name == name { world.kill(parent) }
      underWay.removeAll { $0.role.name == name }
    case .show(_, _, let content): world.rules.shows(content)
    case .forget(let id): forget(id)
    default: break
    }
  }

  func forget(_ id: AppID) {
    guard let program = managed(id) else { return }
    table.removeAll { $0.id == id }
    later.removeAll { $0.id == id }
    if trying == id { triedOther() }
    let name = program.life.name
    guard program.endWord == .restarted else { return drop(name) }
    if kept.contains(where: { $0.name == name }) { feed(.linesWait(name, after: .restart)) }
  }
}
