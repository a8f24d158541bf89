import LullEngine
import LullSystem
import LullWire

// Freeze, confirm, hear what the program still said, take the descriptors, arm, poll once more. In
// this order no byte is lost; the naive edge-triggered order loses one wake in forty.
extension Daemon {
  func decideFreeze(_ id: AppID, _ ticket: Ticket) {
    program(id)?.freezing = .decided(ticket)
    freezes.append(.begin(id, ticket))
  }

  /// Carries out the freezes that were put off to the end of the turn.
  func advanceFreezes() {
    while !freezes.isEmpty {
      switch freezes.removeFirst() {
      case .begin(let id, let ticket): beginFreeze(id, ticket)
      case .confirm(let id, let ticket): confirmFreeze(id, ticket)
      }
      pump()
    }
  }

  /// A freeze that was taken back meanwhile must not be written: nobody would undo it.
  private func beginFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), case .decided(ticket) = program.freezing else { return }
    // Thawed and to be frozen again in one turn: the old duplicates go first.
    release(program)
    guard program.mayTakeDescriptors || program.lines.isEmpty || program.speaker == nil else {
      program.freezing = .preparing(ticket)
      return tell(id, Message(event: .prepare).adding(.ticket, ticket.number))
    }
    requestFreeze(program, ticket)
  }

  func requestFreeze(_ program: Program, _ ticket: Ticket) {
    program.freezing = .requested(ticket)
    program.refusal = nil
    do {
      try program.suspender.freeze()
      if try program.suspender.confirmFrozen() { return freezes.append(.confirm(program.id, ticket)) }
      confirmLater(program, ticket, after: Self.firstRecheck)
    } catch {
      program.refusal = "\(error)"
      events.append(.freezeRefused(program.id, ticket, .failed))
    }
  }

  private static var firstRecheck: Int64 { 250_000 }
  private static var lastRecheck: Int64 { 4_000_000 }

  /// The freeze is slow. Until it is confirmed no line is watched, so the state is read again soon: the kernel's
  /// notification of cgroup.events can come 10 ms late. The engine's limit bounds the tries.
  private func confirmLater(_ program: Program, _ ticket: Ticket, after wait: Int64) {
    program.recheckWait = wait
    rechecks.append((Clock.boottime() + wait, program.id, ticket))
  }

  var nextRecheck: Int64? { rechecks.map(\.at).min() }

  func recheckFreezes() {
    let now = Clock.boottime()
    for (at, id, ticket) in rechecks where at <= now { freezes.append(.confirm(id, ticket)) }
    rechecks.removeAll { $0.at <= now }
  }

  /// Tells once when cgroup.events changes.
  func watchEvents(of program: Program, _ cgroup: Cgroup) throws(SystemError) {
    let interest: Interest = [.priority, .oneShot]
    do {
      try epoll.add(cgroup.events, token: program.token(.cgroup).raw, interest: interest)
    } catch {
      guard error.isExisting else { throw error }
      try epoll.modify(cgroup.events, token: program.token(.cgroup).raw, interest: interest)
    }
  }

  /// The kernel has confirmed the freeze, or is asked again.
  private func confirmFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), case .requested(ticket) = program.freezing else { return }
    guard (try? program.suspender.isFrozen()) == true else {
      return confirmLater(program, ticket, after: min(2 * program.recheckWait, Self.lastRecheck))
    }
    // A request that the program sent before the freeze overtook it is heard now; the engine then
    // takes the freeze back, and `freezing` says so.
    if let speaker = program.speaker { clientReady(speaker) }
    guard case .requested(ticket) = program.freezing else { return }
    program.freezing = .frozen
    if engine.registration(of: id)?.sleepsByItself == true {
      return conclude(survey(program), program, ticket)
    }
    do {
      try takeDescriptors(of: program)
    } catch {
      program.refusal = "its descriptors cannot be taken: \(error)"
      return events.append(.freezeRefused(id, ticket, .noDescriptor))
    }
    let ready = pollOnce(program)
    events += ready
    guard ready.isEmpty else { return }
    events.append(isParked(program) ? .frozen(id, ticket) : .freezeRefused(id, ticket, .notIdle))
  }

  private func conclude(_ finding: Finding, _ program: Program, _ ticket: Ticket) {
    switch finding {
    case .idle:
      program.hasSlept = true
      program.soundTurns = nil
      for line in program.lines { line.found?.isNew = false }
      events.append(.frozen(program.id, ticket))
    case .busy(let why, let detail, let retryAfter):
      program.refusal = detail
      events.append(.freezeRefused(program.id, ticket, why, retryAfter: retryAfter))
    case .overtaken: break
    }
  }

  /// One freeze in a thousand meets the program between a read and its handling: bytes that came after its `done`
  /// are then in nobody's queue. Where ptrace rights are missing the program promises it with its `ready`.
  private func isParked(_ program: Program) -> Bool {
    guard program.mayTakeDescriptors, !program.lines.isEmpty else { return true }
    return pids(of: program).allSatisfy { pid in
      guard case .busy(let thread) = try? Process.idleness(of: pid) else { return true }
      program.refusal = "thread \(thread) of process \(pid) is at work"
      return false
    }
  }

  private func takeDescriptors(of program: Program) throws(SystemError) {
    for line in program.lines {
      if line.duplicate == nil { line.duplicate = try takeDescriptor(of: line) }
      guard let duplicate = line.duplicate else {
        drop(line, from: program)
        events.append(.lineLost(program.id, line.id))
        continue
      }
      try epoll.add(duplicate.raw, token: line.token.raw, interest: line.interest)
    }
  }

  /// The duplicate; nil when the number was closed or means another file by now.
  private func takeDescriptor(of line: HeldLine) throws(SystemError) -> DescriptorBox? {
    do {
      let duplicate = try Process.getDescriptor(line.owner.raw, number: line.number)
      guard try duplicate.identity() == line.identity else { return nil }
      return DescriptorBox(duplicate)
    } catch {
      if error.isBadDescriptor || error.isNoSuchProcess { return nil }
      throw error
    }
  }

  private func pollOnce(_ program: Program) -> [Event] {
    var entries = program.lines.map { PollEntry($0.duplicate?.raw ?? -1, [.readable, .readHangUp]) }
    guard !entries.isEmpty, (try? Socket.pollMany(&entries, timeoutMilliseconds: 0)) ?? 0 > 0 else {
      return []
    }
    return zip(program.lines, entries).compactMap { line, entry in
      entry.readiness.isEmpty ? nil : .ready(program.id, line.id, classify(line, entry.readiness))
    }
  }

  /// Writes the thaw and nothing else: the caller of this program waits for it.
  func thaw(_ id: AppID) {
    guard let program = program(id) else { return }
    if program.wokenAt != nil { program.waitedMicroseconds = (Clock.boottime() - seenAt) / 1000 }
    do {
      switch program.freezing {
      case .decided, .preparing: break
      case .none, .requested, .frozen: try program.suspender.thaw()
      }
    } catch {
      program.remark = "cannot be thawed: \(error)"
    }
    program.wokenAt = nil
    program.freezing = .none
    released.append(program)
  }

  /// Removes and closes the duplicates of every program that was thawed in this turn, so that its own
  /// close() is seen by its peer. Removed first: a closed duplicate that is registered keeps its events coming.
  func releaseDuplicates() {
    while let program = released.popLast() {
      if case .frozen = program.freezing { continue }
      release(program)
    }
  }

  func release(_ program: Program) {
    releaseProcesses(of: program)
    for line in program.lines {
      guard let duplicate = line.duplicate else { continue }
      try? epoll.remove(duplicate.raw)
      duplicate.close()
      line.duplicate = nil
    }
  }

  /// Lines that were found end when the program speaks for itself, and those that it declared when it leaves.
  func dropLines(of program: Program) {
    for line in program.lines { drop(line, from: program) }
  }

  /// A handover line that was never armed is only closed.
  func drop(_ line: HeldLine, from program: Program) {
    if let duplicate = line.duplicate {
      try? epoll.remove(duplicate.raw)
      duplicate.close()
    }
    lineSlots.remove(line.slot)
    program.lines.removeAll { $0 === line }
  }

  func cgroupChanged(_ token: Token) {
    guard let program = program(token), case .cgroup(let cgroup) = program.suspender else { return }
    if program.waitsForLastProcess {
      checkLastProcess(program, cgroup)
    }
  }
}
