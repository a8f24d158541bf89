import LullEngine
import LullSystem

// Arm, poll once more, release.
extension Daemon {
  /// The engine has judged: what ends the waits of the program is watched from now on.
  func watch(_ id: AppID, _ ticket: Ticket, _ plan: WatchPlan) {
    guard let program = program(id), case .frozen = program.freezing else { return }
    program.look = nil
    program.plan = plan
    do {
      for pidfd in program.watched {
        try epoll.add(pidfd.raw, token: program.token(.child).raw, interest: [.readable, .oneShot])
      }
      for line in program.lines { try arm(line, program) }
    } catch {
      return events.append(.freezeRefused(id, ticket, .noDescriptor, .text("\(error)")))
    }
    let ready = pollOnce(program)
    guard ready.isEmpty else { return events += ready }
    events.append(.frozen(id, ticket))
  }

  private func arm(_ line: HeldLine, _ program: Program) throws(SystemError) {
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
    line.found?.isDisregarded = program.plan.disregarded.contains(line.id)
    if line.found?.isDisregarded == true {
      line.found?.oldNews = trace(duplicate, line.description, readiness(of: line, duplicate))
      interest = [.readable, .readHangUp, .edge]
    }
    if program.plan.full.contains(line.id) { interest.formUnion(.writable) }
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
    let ready = pollOnce(program)
    events += ready
    return !ready.isEmpty
  }

  /// The duplicate; nil when the number was closed or means another file by now.
  private func takeDescriptor(of line: HeldLine) throws(SystemError) -> DescriptorBox? {
    do {
      let duplicate = DescriptorBox(try Process.getDescriptor(line.owner.raw, number: line.number))
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
  private func pollOnce(_ program: Program) -> [Event] {
    let watched = program.lines.filter { line in
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

  /// Removed first: a closed duplicate that is registered keeps its events coming. What is watched as a whole
  /// is only disarmed.
  func release(_ program: Program) {
    program.look = nil
    for pidfd in program.watched {
      try? epoll.remove(pidfd.raw)
      pidfd.close()
    }
    program.watched = []
    for line in program.lines {
      if let set = line.epollSet {
        disarm(set, line)
      } else if let duplicate = line.duplicate {
        if line.isWatched { try? epoll.remove(duplicate.raw) }
        duplicate.close()
        line.duplicate = nil
        line.found?.oldNews = nil
        line.found?.newSender = nil
      }
    }
  }

  private func disarm(_ set: EpollSet, _ line: HeldLine) {
    guard set.isArmed else { return }
    set.isArmed = false
    try? epoll.modify(set.duplicate.raw, token: line.token.raw, interest: .oneShot)
  }

  /// Lines that were found end when the program speaks for itself, and those that it declared when it leaves.
  func dropLines(of program: Program) {
    for line in program.lines { close(line) }
    program.removeLines()
  }

  /// The line ends with what is open for it; it need not have been armed.
  func drop(_ line: HeldLine, from program: Program) {
    close(line)
    program.remove(line)
  }

  private func close(_ line: HeldLine) {
    if let set = line.epollSet {
      if set.isRegistered { try? epoll.remove(set.duplicate.raw) }
      set.duplicate.close()
    }
    if let duplicate = line.duplicate {
      try? epoll.remove(duplicate.raw)
      duplicate.close()
      line.duplicate = nil
    }
    lineSlots.remove(line.slot)
  }
}

extension HeldLine {
  fileprivate var pollInterest: Interest {
    let polled = interest.subtracting(.oneShot)
    return found?.role == .open ? polled.subtracting(.writable) : polled
  }
}
