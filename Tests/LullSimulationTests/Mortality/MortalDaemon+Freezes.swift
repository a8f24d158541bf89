import LullEngine

// The sleep of programs, and their kept lines.
extension MortalDaemon {
  /// The first freezes of programs that were taken back come one after the other: the daemon may die of one.
  func decide(_ id: AppID, _ ticket: Ticket) {
    guard let program = managed(id) else { return }
    program.freeze = ticket
    guard world.guardian?.isWatching == true else {
      return events.append(.freezeRefused(id, ticket, .failed, retryAfter: .seconds(1)))
    }
    if program.isUntried {
      guard trying == nil else { return later.append((id, ticket)) }
      trying = id
      record(.progress(name: program.life.name, .trying))
    }
    events.append(.looked(id, ticket, Look()))
  }

  func proceed(_ event: Event) {
    feed(event)
    if case .looked(let id, let ticket, _) = event, managed(id)?.freeze == ticket {
      plan(.freeze(id, ticket))
    }
  }

  func freeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = managed(id), program.freeze == ticket else { return }
    let life = program.life
    if program.isUntried, life.role.poison == .trying { return world.daemonDies(.byFault, of: life) }
    guard !life.isOver else { return }
    life.isFrozen = true
    // Words of the program from before the freeze come before the observation, and may take the freeze back.
    while let place = inbox.firstIndex(where: { $0.isSaid(by: life) }) { answer(inbox.remove(at: place)) }
    if program.line == nil {
      _ = ask(.lineFound(id, .voip, .other, "")) { if case .line(let line) = $0 { program.line = line } }
    }
    var observation = Observation()
    observation.threads = [ObservedThread(process: 1, thread: 1, wait: .sources)]
    observation.sources = [WakeSource(line: program.line, role: .waited, reach: .outside)]
    observation.sources[0].isReady = life.hasData
    events.append(.observed(id, ticket, observation))
  }

  func watch(_ id: AppID, _ ticket: Ticket) {
    guard let program = managed(id), program.freeze == ticket else { return }
    feed(.frozen(id, ticket))
    guard engine.state(of: id) == .suspended else { return }
    program.life.isAsleep = program.life.isFrozen
    if program.isUntried { tried(program, .tried) }
  }

  func thaw(_ id: AppID) {
    guard let program = managed(id), program.freeze != nil else { return }
    program.freeze = nil
    world.thaw(program.life, isCaused: program.wokeFor != .unfrozen)
    later.removeAll { $0.id == id }
    if trying == id { tried(program, .taken) }
  }

  func tried(_ program: Managed, _ progress: ReturnProgress) {
    program.isUntried = progress != .tried
    record(.progress(name: program.life.name, progress))
    triedOther()
  }

  func triedOther() {
    trying = nil
    if !later.isEmpty {
      let next = later.removeFirst()
      if managed(next.id)?.freeze == next.ticket { decide(next.id, next.ticket) }
    }
  }

  // MARK: Kept lines

  func keep(_ lines: [MortalSocket]) {
    kept += lines
    for line in lines { plan(.guardian(.keep(line))) }
  }

  func drop(_ name: String) {
    for line in kept where line.name == name {
      if world.mistake != .neverDropsLines { plan(.guardian(.drop(line))) }
      world.rules.drops(line)
    }
    kept.removeAll { $0.name == name }
    feed(.linesTaken(name))
  }
}
