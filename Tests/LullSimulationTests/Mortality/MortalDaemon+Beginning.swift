import LullEngine

// The beginning of a daemon, with the programs that the one before it has left.
extension MortalDaemon {
  func read() {
    let (found, isOfThisBoot) = world.files.predecessor
    let names = world.roles.filter(\.isInstalled).map(\.name)
    (predecessor, ledger) = (found, found.next(isAfterFault: isAfterFault, boots: isToBoot) { names })
    world.rules.daemonBegins(self, world)
    world.files.replace(with: ledger.snapshot().filter { !world.loses($0) })
    world.guardian?.daemonBegan()
    setClock()
    for item in predecessor.notifications {
      _ = ask(.restore(item.record(self, isSameBoot: isOfThisBoot) { _ in nil }))
    }
    phase = .taking(0)
  }

  func take(_ place: Int) {
    guard place < predecessor.programs.count else { return phase = .awaiting }
    phase = .taking(place + 1)
    let entry = predecessor.programs[place], life = world.life(entry.process)
    let (runs, othersRun) = (life.map { $0.status == nil } ?? false, life.map { $0.others > 0 } ?? false)
    let fate = ledger.fate(
      of: entry, runs: runs, othersRun: othersRun, at: world.wall, world.policy.supervision)
    switch (fate, life) {
    case (.over(let end), _): record(.ended(end))
    case (.leftRunning, let life?):
      left.append(life)
      world.rules.leaves(life)
    case (.registersAgain, let life?): awaited.append(life)
    case (.adopted(let exit), let life?):
      var entry = entry
      entry.exit = exit
      record(.progress(name: entry.name, .taking))
      plan(.takeBack(entry, life))
    default: break
    }
  }

  func takeBack(_ entry: ProgramEntry, _ life: MortalLife) {
    guard life.role.poison != .taking else { return world.daemonDies(.byFault, of: life) }
    let command = entry.command
    var registration = registration(of: life)
    registration.resumes = .background
    registration.keepAliveSince = command?.startedAt.map(moment(atBoottime:))
    registration.keepAliveLastRun = command?.keepAliveRanAt.map(moment(atBoottime:))
    registration.fetchedAt = (command?.fetchedAt ?? command?.startedAt).map(moment(atBoottime:))
    registration.ending = command?.ending
    registration.askedToEnd = command?.askedToEndAt.map(moment(atBoottime:))
    guard let program = register(registration, life) else { return }
    program.since = command?.startedAt ?? program.since
    program.endWord = command?.endWord?.known
    program.exit = entry.exit
    program.isUntried = true
    record(.progress(name: life.name, .taken))
  }

  func install(_ place: Int) {
    let installed = world.roles.filter(\.isInstalled)
    guard place < installed.count else {
      (phase, servingSince) = (.serving, world.now)
      return
    }
    phase = .installing(place + 1)
    let name = installed[place].name
    let isHandedOver =
      world.parents.contains { $0.role.name == name && $0.role.kind == .keeper && $0.life != nil }
      && predecessor.mayBeHandedOver(name)
    let comesBack = isHandedOver || awaited.contains { $0.name == name && !$0.isOver }
    var beginning = ledger.beginning(
      of: name, after: predecessor, comesBack: comesBack, isFirst: isToBoot != nil, world.policy.supervision)
    if beginning == .boot, !ledger.isBooted {
      beginning = .ended
      world.rules.forgives(name)
    }
    var past = ledger.past(of: name, self, world.policy.supervision)
    if world.mistake == .forgetsWaits { past.starts = nil }
    _ = ask(.admit(name, beginning, past))
  }

  /// The program has ended, and its end decides.
  func comesBackNoMore(_ name: String) {
    guard engine.installed(name) != nil else { return }
    let supervision = world.policy.supervision, past = ledger.past(of: name, self, supervision)
    let beginning = ledger.beginning(of: name, after: predecessor, comesBack: false, supervision)
    _ = ask(.uninstall(name))
    _ = ask(.admit(name, beginning, past))
  }
}
