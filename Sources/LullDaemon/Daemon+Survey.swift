import LullEngine
import LullSystem

// Nobody tells when a command is done: each freeze is a question whether it is idle. It is when every thread waits,
// nothing that arrived is unread, and no answer is due; anything else and it is thawed, and asked again later.
extension Daemon {
  /// Looks at a frozen command; its lines are watched when it returns.
  func survey(_ program: Program) -> Finding {
    do {
      var survey = Survey()
      if let busy = try look(at: program, &survey) { return busy }
      if let busy = try takeFound(survey, of: program) { return busy }
      return judge(program, survey)
    } catch {
      if error.isTooMany {
        return .busy(
          .tooManyLines, "more than \(Self.maximumFiles) descriptors in one process",
          retryAfter: engine.policy.hopelessRetry)
      }
      guard error.isNotPermitted else { return .busy(.noDescriptor, "\(error)") }
      return .busy(
        .noRights, "\(error.message); lulld needs ptrace rights over all its processes",
        retryAfter: engine.policy.hopelessRetry)
    }
  }

  /// How its threads wait, and what it has open.
  private func look(at program: Program, _ survey: inout Survey) throws(SystemError) -> Finding? {
    let pids = try program.suspender.processes()
    let maximum = engine.policy.maximumProcesses
    guard pids.count <= maximum else {
      return .busy(
        .tooManyProcesses, "\(pids.count) processes; at most \(maximum) are looked at",
        retryAfter: engine.policy.hopelessRetry)
    }
    for pid in pids {
      switch try Process.idleness(of: pid) {
      case .busy(let thread): return .busy(.notIdle, "thread \(thread) of process \(pid) is at work")
      case .parked(let shortest, let longest):
        survey.shortestWait = [survey.shortestWait, shortest].compactMap(\.self).min()
        survey.longestWait = [survey.longestWait, longest].compactMap(\.self).max()
      }
    }
    for pid in pids {
      if let busy = try open(pid, &survey) { return busy }
    }
    let files = survey.processes.reduce(0) { $0 + $1.files.count }
    guard files <= Self.maximumFiles else {
      return .busy(
        .tooManyLines, "\(files) descriptors; at most \(Self.maximumFiles) are looked at",
        retryAfter: engine.policy.hopelessRetry)
    }
    return nil
  }

  /// Descriptors of one command that are looked at, watched or not.
  static var maximumFiles: Int { 4096 }

  private func open(_ pid: Int32, _ survey: inout Survey) throws(SystemError) -> Finding? {
    do {
      let pidfd = DescriptorBox(try Process.pidfdOpen(pid))
      let files = try Process.openFiles(of: pid, limit: Self.maximumFiles)
      // The list is empty too when only the main thread has ended, while the others have files open.
      guard !files.isEmpty else {
        return .busy(.noDescriptor, "process \(pid) shows no descriptors: its main thread may have ended")
      }
      // SIGCHLD or SIGTERM just before the freeze: the thread that is to take it still stands in its wait.
      if try Process.hasPendingSignal(pid, takesBlocked: files.contains { $0.kind == .signals }) {
        return .busy(.notIdle, "a signal waits for process \(pid)")
      }
      survey.add(Survey.Process(pid: pid, pidfd: pidfd, files: files))
    } catch {
      // It was killed since the list of processes was read.
      guard error.isNoSuchProcess || error.isNoSuchFile else { throw error }
    }
    return nil
  }

  /// Takes a duplicate of everything that can be watched, and tells the engine of what is new and what is gone.
  private func takeFound(_ survey: Survey, of program: Program) throws(SystemError) -> Finding? {
    for line in program.lines { line.found?.isPresent = false }
    // Connections last: where they come from is known when every listening socket has been seen.
    var connections: [NewLine] = []
    for candidate in survey.candidates {
      if let busy = try take(candidate, of: program, &connections) { return busy }
    }
    for connection in connections {
      if let busy = try addLine(connection, to: program) { return busy }
    }
    for line in program.lines where line.found?.isPresent == false {
      drop(line, from: program)
      feed(.lineLost(program.id, line.id))
    }
    guard case .frozen = program.freezing else { return .overtaken }
    watchProcesses(survey, of: program)
    return nil
  }

  private struct NewLine {
    let candidate: Survey.Candidate
    let duplicate: DescriptorBox
    let identity: FileIdentity
    let description: LineDescription
  }

  private func take(
    _ candidate: Survey.Candidate, of program: Program, _ connections: inout [NewLine]
  ) throws(SystemError) -> Finding? {
    let (process, file) = (candidate.process, candidate.file)
    let duplicate: DescriptorBox
    do {
      duplicate = DescriptorBox(try Process.getDescriptor(process.pidfd.raw, number: file.number))
    } catch {
      if error.isBadDescriptor || error.isNoSuchProcess { return nil }
      throw error
    }
    guard let identity = try? FileIdentity.of(duplicate.raw) else { return nil }
    if let line = program.lines.first(where: { $0.stands(for: file, identity, in: process.pid) }) {
      (line.number, line.owner, line.duplicate) = (file.number, process.pidfd, duplicate)
      line.found?.pid = process.pid
      line.found?.isPresent = true
      return try takeKnown(line, duplicate, of: program)
    }
    guard !isShared(candidate, identity, program) else { return nil }
    var description = Socket.describe(duplicate.raw)
    if description.kind == .other, description.local.isEmpty {
      description = LineDescription(naming: file.kind)
    }
    if description.isListening, let port = description.localPort, !program.servedPorts.contains(port) {
      program.servedPorts.append(port)
    }
    guard program.command?.watches(description) != false else { return nil }
    let own = look(atOwn: description, identity, duplicate, program)
    guard !own.isOwn else { return own.news }
    let new = NewLine(
      candidate: candidate, duplicate: duplicate, identity: identity, description: description)
    guard description.kind != .tcp else {
      connections.append(new)
      return nil
    }
    return try addLine(new, to: program)
  }

  /// The connection to this daemon and the bells of its sound are no lines: what comes there waits for the wake. What
  /// came there before the freeze the program is about to read: the end of a drain, say, which would not come again.
  private func look(
    atOwn description: LineDescription, _ identity: FileIdentity, _ duplicate: DescriptorBox,
    _ program: Program
  ) -> (isOwn: Bool, news: Finding?) {
    guard description.kind == .unix else { return (false, nil) }
    guard description.peer != controlPath else { return (true, nil) }
    guard let session = program.sessions.first(where: { $0.inode == identity.inode }) else {
      return (false, nil)
    }
    let ready = try? Socket.poll(duplicate.raw, .readable, timeoutMilliseconds: 0)
    guard ready?.isEmpty == false else {
      session.unreadSince = nil
      return (true, nil)
    }
    let since = session.unreadSince ?? now
    session.unreadSince = since
    // A player that is paused need not look at its sound.
    let isStale = now - since >= engine.policy.disregardAfter
    return (true, isStale ? nil : .busy(.unread, "the bell of its sound"))
  }

  /// A socket that was found before it was bound or connected may turn out to have a port that is ignored.
  private func takeKnown(_ line: HeldLine, _ duplicate: DescriptorBox, of program: Program)
    throws(SystemError) -> Finding?
  {
    if line.description.kind != .other, line.description.peer.isEmpty {
      line.description = Socket.describe(duplicate.raw)
      guard program.command?.watches(line.description) != false else {
        line.duplicate = nil
        return nil
      }
    }
    return try arm(line) ? nil : .busy(.noDescriptor, "descriptor \(line.number) cannot be watched")
  }

  /// A child has what its parent had open when it was forked.
  private func isShared(_ candidate: Survey.Candidate, _ identity: FileIdentity, _ program: Program) -> Bool {
    let (process, file) = (candidate.process, candidate.file)
    guard !file.kind.namesItsFile else { return false }
    return program.lines.contains { line in
      guard let found = line.found, found.isPresent, found.file == file.kind, line.identity == identity else {
        return false
      }
      return Process.sharesFile((found.pid, line.number), (process.pid, file.number))
    }
  }

  private func addLine(_ new: NewLine, to program: Program) throws(SystemError) -> Finding? {
    let (process, file) = (new.candidate.process, new.candidate.file)
    let (duplicate, identity, description) = (new.duplicate, new.identity, new.description)
    // Regular files, directories and the like cannot be watched; nothing ever arrives there.
    guard try probe(duplicate) else { return nil }
    let origin = self.origin(of: description, in: program)
    let modes = engine.registration(of: program.id)?.modes ?? []
    let kind: LullEngine.LineKind = modes == .externalAccessory ? .accessory : .voip
    program.newLineText = HeldLine.text(description)
    let answer = ask { .lineFound(program.id, kind, origin, $0) }
    guard case .line(let id) = answer else {
      let most = engine.policy.maximumLines
      return .busy(
        .tooManyLines, "more than \(most) descriptors that can wake it; --wake-on chooses some",
        retryAfter: engine.policy.hopelessRetry)
    }
    let line = lineSlots.insert { slot, generation in
      HeldLine(
        id: id, number: file.number, owner: process.pidfd, identity: identity, description: description,
        kind: kind, offload: [], slot: slot, generation: generation, program: program)
    }
    line.found = HeldLine.Found(file: file.kind, pid: process.pid, isNew: program.hasSlept)
    line.duplicate = duplicate
    program.lines.append(line)
    return try arm(line) ? nil : .busy(.noDescriptor, "descriptor \(file.number) cannot be watched")
  }

  private func probe(_ duplicate: DescriptorBox) throws(SystemError) -> Bool {
    do {
      try epoll.add(duplicate.raw, token: Token(.line, slot: Int(UInt32.max)).raw, interest: .oneShot)
      try epoll.remove(duplicate.raw)
      return true
    } catch {
      guard error.isNotPermitted || error.isBadDescriptor else { throw error }
      return false
    }
  }

  private func arm(_ line: HeldLine) throws(SystemError) -> Bool {
    guard let duplicate = line.duplicate else { return false }
    try epoll.add(duplicate.raw, token: line.token.raw, interest: line.interest)
    return true
  }

  /// A TCP connection that does not lead to a port on which the command listens was opened by the command.
  private func origin(of description: LineDescription, in program: Program) -> LineOrigin {
    guard description.kind == .tcp, let port = description.localPort else { return .other }
    return program.servedPorts.contains(port) ? .other : .opened
  }

  /// The end of a process is news for its parent, and what it had open must be closed, or its peers would wait.
  private func watchProcesses(_ survey: Survey, of program: Program) {
    for process in survey.processes where process.pid != program.pid {
      let token = program.token(.child).raw
      guard (try? epoll.add(process.pidfd.raw, token: token, interest: [.readable, .oneShot])) != nil else {
        continue
      }
      program.watched.append(process.pidfd)
    }
  }

  func childEnded(_ token: Token) {
    guard let program = program(token), !program.watched.isEmpty else { return }
    feed(.childEnded(program.id))
  }

  func releaseProcesses(of program: Program) {
    for pidfd in program.watched {
      try? epoll.remove(pidfd.raw)
      pidfd.close()
    }
    program.watched = []
  }
}

extension HeldLine {
  /// Whether this is the line of a descriptor that was found.
  func stands(for file: OpenFile, _ identity: FileIdentity, in pid: Int32) -> Bool {
    guard let found, !found.isPresent, found.file == file.kind, self.identity == identity else {
      return false
    }
    return file.kind.namesItsFile || (found.pid == pid && number == file.number)
  }
}
