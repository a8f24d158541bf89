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
        return .busy(.tooManyLines, "more than \(Self.maximumFiles) descriptors in one process")
      }
      guard error.isNotPermitted else { return .busy(.noDescriptor, "\(error)") }
      return .busy(.noRights, "\(error.message); lulld needs ptrace rights over all its processes")
    }
  }

  /// How its threads wait, and what it has open.
  private func look(at program: Program, _ survey: inout Survey) throws(SystemError) -> Finding? {
    let pids = try program.suspender.processes()
    let maximum = engine.policy.maximumProcesses
    guard pids.count <= maximum else {
      return .busy(.tooManyProcesses, "\(pids.count) processes; at most \(maximum) are looked at")
    }
    for pid in pids {
      switch try Process.idleness(of: pid) {
      case .busy(let thread): return .busy(.notIdle, "thread \(thread) of process \(pid) is at work")
      case .parked(let wait): survey.shortestWait = [survey.shortestWait, wait].compactMap(\.self).min()
      }
    }
    for pid in pids { try open(pid, &survey) }
    let files = survey.processes.reduce(0) { $0 + $1.files.count }
    guard files <= Self.maximumFiles else {
      return .busy(.tooManyLines, "\(files) descriptors; at most \(Self.maximumFiles) are looked at")
    }
    return nil
  }

  /// Descriptors of one command that are looked at, watched or not.
  static var maximumFiles: Int { 4096 }

  private func open(_ pid: Int32, _ survey: inout Survey) throws(SystemError) {
    do {
      let pidfd = DescriptorBox(try Process.pidfdOpen(pid))
      let files = try Process.openFiles(of: pid, limit: Self.maximumFiles)
      survey.add(Survey.Process(pid: pid, pidfd: pidfd, files: files))
    } catch {
      // It was killed since the list of processes was read.
      guard error.isNoSuchProcess || error.isNoSuchFile else { throw error }
    }
  }

  /// Takes a duplicate of everything that can be watched, and tells the engine of what is new and what is gone.
  private func takeFound(_ survey: Survey, of program: Program) throws(SystemError) -> Finding? {
    for line in program.lines { line.found?.isPresent = false }
    for candidate in survey.candidates {
      if let busy = try take(candidate, of: program) { return busy }
    }
    for line in program.lines where line.found?.isPresent == false {
      drop(line, from: program)
      feed(.lineLost(program.id, line.id))
    }
    guard case .frozen = program.freezing else { return .overtaken }
    watchProcesses(survey, of: program)
    return nil
  }

  private func take(_ candidate: Survey.Candidate, of program: Program) throws(SystemError) -> Finding? {
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
      if line.description.kind != .other, line.description.peer.isEmpty {
        line.description = Socket.describe(duplicate.raw)
      }
      return try arm(line) ? nil : .busy(.noDescriptor, "descriptor \(file.number) cannot be watched")
    }
    return try addLine(candidate, duplicate, identity, to: program)
  }

  private func addLine(
    _ candidate: Survey.Candidate, _ duplicate: DescriptorBox, _ identity: FileIdentity, to program: Program
  ) throws(SystemError) -> Finding? {
    let (process, file) = (candidate.process, candidate.file)
    var description = Socket.describe(duplicate.raw)
    if description.kind == .other, description.local.isEmpty {
      description = LineDescription(naming: file.kind)
    }
    guard program.command?.watches(description) != false else { return nil }
    // Regular files, directories and the like cannot be watched; nothing ever arrives there.
    guard !duplicate.isWriteOnly, try probe(duplicate) else { return nil }
    let origin = self.origin(of: description, in: program)
    let kind = program.isAccessory ? LullEngine.LineKind.accessory : .voip
    program.newLineText = HeldLine.text(description)
    let answer = ask { .lineFound(program.id, kind, origin, $0) }
    guard case .line(let id) = answer else {
      let most = engine.policy.maximumLines
      return .busy(.tooManyLines, "more than \(most) descriptors that can wake it; --wake-on chooses some")
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
    let isServed = program.lines.contains {
      $0.description.kind == .tcpListen && $0.description.localPort == port
    }
    return isServed ? .other : .opened
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
  /// Whether this is the line of a descriptor that was found. An inode can be given again, so a line whose kind of
  /// file is the same but whose description changed is another one.
  func stands(for file: OpenFile, _ identity: FileIdentity, in pid: Int32) -> Bool {
    guard let found, !found.isPresent, found.file == file.kind, self.identity == identity else {
      return false
    }
    return file.kind.namesItsFile || (found.pid == pid && number == file.number)
  }
}
