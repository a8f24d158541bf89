import LullEngine

// The acts of everybody around the daemon: each has a moment at which it can act, and does one thing then.

extension MortalLife {
  func next(_ world: MortalWorld) -> Int64 {
    guard canAct else { return .max }
    if role.kind == .library, status == nil {
      if let daemon = world.daemon, daemon.hearsPrograms, daemon.number != speaksTo { return world.now }
      if world.needsHand { return world.now }
    }
    return min(actsAt, endsAt)
  }

  func step(_ world: MortalWorld) {
    if role.kind == .library, status == nil {
      if world.needsHand { return world.thawAll() }
      if let daemon = world.daemon, daemon.hearsPrograms, daemon.number != speaksTo {
        speaksTo = daemon.number
        return daemon.hear(.register(self))
      }
    }
    if endsAt <= world.now {
      return end(world.chance.pick([.exited(0), .signaled(15)]), all: true, at: world.now)
    }
    actsAt = world.now + world.pace * Int64(world.chance.below(60_000_000_000))
    act(world)
  }

  private func act(_ world: MortalWorld) {
    guard status == nil else { return otherEnded(at: world.now) }
    // Any other program ends before its keep-alive runs twice.
    let isSteady = role.keepsAlive && world.chance.happens(900)
    switch isSteady ? 5 : world.chance.weighted([2, 2, 1, 4, 4, 10], total: 23) {
    case 0: world.end(self, .exited(0), all: false)
    case 1: world.end(self, .signaled(11), all: world.chance.happens(800))
    case 2: world.end(self, .exited(1), all: true)
    case 3: if role.kind != .library { fork() }
    case 4: if others > 0 { otherEnded(at: world.now) }
    default: if role.kind != .library { world.serving?.hear(.schedule(self)) }
    }
  }
}

extension MortalParent {
  /// A parent that has lost its daemon continues a stopped guard after this time.
  static let patience: Int64 = 2_000_000_000

  func next(_ world: MortalWorld) -> Int64 {
    if let continuesAt { return continuesAt }
    if world.needsHand { return world.now }
    if world.isLeftStopped { return max(world.now, world.lostAt + Self.patience) }
    switch stage {
    case .starting: return world.serving != nil || world.isWithoutDaemon ? world.now : .max
    case .asked(let number): return world.daemon?.number == number ? .max : world.now
    case .attached(let number): return world.daemon?.number != number || isTold ? world.now : .max
    case .lost: return life?.status != nil || world.serving != nil ? world.now : .max
    case .over: return world.now
    }
  }

  func step(_ world: MortalWorld) {
    if isStopped { return continuesAt = nil }
    if world.needsHand { return world.thawAll() }
    if world.isLeftStopped { return world.continueBoth(unless: .leavesStopped) }
    switch stage {
    case .starting:
      guard let daemon = world.serving else { return world.startGuard(boots: true) }
      if life == nil { life = world.spawn(role, isGated: true) }
      daemon.hear(.started(self))
      stage = .asked(daemon.number)
    case .asked, .attached: stage = isTold ? .over : .lost
    case .lost:
      guard let life else { return stage = .starting }
      if let status = life.status { return noteEnd(of: life, status, world) }
      guard let daemon = world.serving else { return }
      daemon.hear(.attach(self))
      stage = .asked(daemon.number)
    case .over: break
    }
  }

  /// No daemon has told of the end, which nobody else may see.
  private func noteEnd(of life: MortalLife, _ status: ExitStatus, _ world: MortalWorld) {
    stage = .over
    guard world.mistake != .forgetsEnds else { return }
    var process = life.process
    if world.mistake == .notesAnotherProcess { process.start += 1 }
    world.note("parent notes the end", life.name)
    world.files.note(
      EndEntry(
        name: life.name, at: world.wall, process: process, status: status,
        reason: OpenWord(status)))
  }
}

extension MortalClient {
  func next(_ world: MortalWorld) -> Int64 {
    if world.daemon?.isStopped == true || world.guardian?.isStopped == true { return world.now }
    if asked == nil { return world.serving != nil || world.isWithoutDaemon ? world.now : .max }
    if hasEnded || world.daemon?.number != asked { return world.now }
    if let awaited { return awaited.isOver ? world.now : .max }
    return .max
  }

  func step(_ world: MortalWorld) {
    // A client that gets no answer continues both.
    world.continueBoth()
    if hasEnded { return isDone = true }
    if asked != nil, world.daemon?.number != asked {
      asked = nil
      // The client wanted the daemon to be gone.
      isDone = verb == .stopDaemon || verb == .upgrade
      return
    }
    if let life = awaited, asked != nil {
      guard life.isOver else { return }
      awaited = nil
      // The client may die in between.
      guard world.chance.happens(700) else { return isDone = true }
      if role.isInstalled {
        // The program does not run: it is started.
        world.serving?.hear(.client(self))
      } else {
        world.startByHand(role)
        isDone = true
      }
      return
    }
    guard asked == nil else { return }
    guard let daemon = world.serving else { return world.startGuard(boots: verb.boots) }
    asked = daemon.number
    daemon.hear(.client(self))
  }
}

extension MortalWorld {
  var isWithoutDaemon: Bool { daemon == nil && guardian == nil }

  /// The guard was stopped before its daemon died, or has been since.
  var isLeftStopped: Bool {
    daemon == nil && guardian?.isStopped == true && mistake != .leavesStopped
  }

  /// Both are dead, and somebody who has lost the connection finds what they have left frozen.
  var needsHand: Bool { isWithoutDaemon && lives.contains(where: \.isFrozen) }
}
