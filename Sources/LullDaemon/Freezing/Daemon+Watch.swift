import LullEngine
import LullSystem

// Arm, poll once more.
extension Daemon {
  /// The engine has judged: what ends the waits of the program is watched from now on.
  func watch(_ id: AppID, _ ticket: Ticket, _ plan: WatchPlan) {
    guard let program = program(id), case .frozen = program.freezing, let look = program.look else { return }
    look.stage = .arming
    program.plan = plan
    (look.disregarded, look.full) = (Set(plan.disregarded), Set(plan.full))
    look.addSteps(program.lines.count, by: 64) { .arm(program.lines[$0]) }
    // Every line is watched before the first one is polled: what comes meanwhile is seen twice, not never.
    look.addSteps(program.lines.count, by: 512) { .pollOnce(program.lines[$0]) }
    look.add(.armed)
    continueLook(at: program)
  }

  func arm(_ step: Look.Step, _ look: Look, _ program: Program) {
    do {
      switch step {
      case .arm(let lines): for line in lines { try arm(line, look, program) }
      case .pollOnce(let lines):
        let ready = pollOnce(lines, program)
        events += ready
        if !ready.isEmpty { look.stop() }
      default:
        for pidfd in program.watched {
          try epoll.add(pidfd.raw, token: program.token(.child).raw, interest: [.readable, .oneShot])
        }
        try watchForThaw(of: program)
        discard(look)
        program.look = nil
        events.append(.frozen(program.id, look.ticket))
      }
    } catch {
      look.stop()
      events.append(.freezeRefused(program.id, look.ticket, .noDescriptor, .text("\(error)")))
    }
  }

  private func arm(_ line: HeldLine, _ look: Look, _ program: Program) throws(SystemError) {
    if let set = line.epollSet {
      if line.found?.role == .set, !set.fallsBack { try arm(set, line) }
      return
    }
    guard line.found != nil else { return try armDeclared(line, program) }
    guard let duplicate = line.duplicate else { return }
    setKeepAlive(line, duplicate, program)
    guard line.isWatched, line.found?.role != nil else { return }
    var interest = line.interest
    // Room is waited for where there was none.
    if line.found?.role == .open { interest.remove(.writable) }
    line.found?.isDisregarded = look.disregarded.contains(line.id)
    if line.found?.isDisregarded == true {
      line.found?.oldNews = trace(duplicate, line.description, readiness(of: line, duplicate))
      interest = [.readable, .readHangUp, .edge]
    }
    if look.full.contains(line.id) { interest.formUnion(.writable) }
    try epoll.add(duplicate.raw, token: line.token.raw, interest: interest)
  }

  private func arm(_ set: EpollSet, _ line: HeldLine) throws(SystemError) {
    let (token, interest) = (line.token.raw, Interest([.readable, .oneShot]))
    if set.isRegistered {
      try epoll.modify(set.duplicate.raw, token: token, interest: interest)
    } else {
      try epoll.add(set.duplicate.raw, token: token, interest: interest)
      set.isRegistered = true
    }
    set.isArmed = true
  }

  private func armDeclared(_ line: HeldLine, _ program: Program) throws(SystemError) {
    if line.duplicate == nil { line.duplicate = try takeDescriptor(of: line) }
    guard let duplicate = line.duplicate else {
      drop(line, from: program)
      return events.append(.lineLost(program.id, line.id))
    }
    try epoll.add(duplicate.raw, token: line.token.raw, interest: line.interest)
  }

  /// What came on the declared lines of a program before the freeze wakes it again, whatever its threads do.
  func hasNews(_ program: Program, _ look: Look) -> Bool {
    do {
      for line in program.lines where line.duplicate == nil { line.duplicate = try takeDescriptor(of: line) }
    } catch {
      look.observation.obstacle = obstacle(error)
      return false
    }
    let ready = pollOnce(program.lines[...], program)
    events += ready
    return !ready.isEmpty
  }

  /// The duplicate; nil when the number was closed or means another file by now.
  private func takeDescriptor(of line: HeldLine) throws(SystemError) -> DescriptorBox? {
    do {
      let duplicate = try self.duplicate(line.number, of: line.owner)
      return try FileIdentity.of(duplicate.raw) == line.identity ? duplicate : nil
    } catch {
      if error.isBadDescriptor || error.isNoSuchProcess { return nil }
      throw error
    }
  }

  private func setKeepAlive(_ line: HeldLine, _ duplicate: DescriptorBox, _ program: Program) {
    guard let seconds = program.command?.tcpKeepAlive, line.description.kind == .tcp,
      line.found?.hasKeepAlive == false
    else { return }
    let isSet = Socket.keepAliveIdle(duplicate.raw) == seconds
    line.found?.hasKeepAlive = isSet || (try? Socket.setKeepAlive(duplicate.raw, idleSeconds: seconds)) != nil
  }

  /// What came between the look and the watch.
  private func pollOnce(_ lines: ArraySlice<HeldLine>, _ program: Program) -> [Event] {
    let watched = lines.filter { line in
      if let set = line.epollSet { return set.isArmed }
      return line.duplicate != nil && line.isWatched && line.found?.isDisregarded != true
    }
    var entries = watched.map {
      PollEntry($0.epollSet?.duplicate.raw ?? $0.duplicate?.raw ?? -1, $0.pollInterest)
    }
    guard !entries.isEmpty, (try? Socket.pollMany(&entries, timeoutMilliseconds: 0)) ?? 0 > 0 else {
      return []
    }
    return zip(watched, entries).compactMap { line, entry in
      guard !entry.readiness.isEmpty else { return nil }
      let (named, readiness) = name(line, entry.readiness, program)
      return .ready(program.id, named.id, classify(named, readiness))
    }
  }
}

extension HeldLine {
  fileprivate var pollInterest: Interest {
    let polled = interest.subtracting(.oneShot)
    return found?.role == .open ? polled.subtracting(.writable) : polled
  }
}
