import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Processes and threads of one command, where the kernel counts them: one that forks without end is
  /// stopped there.
  private static var maximumTasks: Int { 4096 }

  func run(_ run: Request.Run, _ client: Client) -> Reply? {
    let staged = takeStaged(client)
    guard let (file, arguments) = staged.command else {
      return .error(
        code: .missingField,
        message: "send the command before run (after \(Staged.time / 1_000_000_000) s it is dropped)")
    }
    let block: CommandBlock
    do throws(CommandError) {
      block = try CommandBlock.read(file, arguments: arguments)
    } catch {
      return error.reply
    }
    let command = String(decoding: block[0], as: UTF8.self)
    if let nanoseconds = run.keepAliveNanoseconds {
      let (asked, minimum) = (Interval(nanoseconds: nanoseconds), engine.policy.keepAliveMinimum)
      guard asked >= minimum else { return Reply(.keepAliveTooShort(asked, minimum: minimum)) }
    }
    if let text = run.udpKeepaliveTo, SocketAddress(numeric: text) == nil {
      return .error(
        code: .badValue,
        message: "udpKeepaliveTo=\(text): use a numeric address and a port, such as 192.0.2.1:5060")
    }
    guard let name = run.name ?? freeName(for: command) else {
      return .error(code: .badValue, message: "no program name can be made of \"\(command)\"; give name=")
    }
    guard engine.find(name: name) == nil else { return Reply(.nameInUse(name)) }
    guard engine.programs.count < engine.policy.maximumPrograms else {
      return Reply(.tooManyPrograms(engine.policy.maximumPrograms))
    }
    var registration = Registration(run, name: name)
    registration.isSpared =
      registration.sleepsByItself && spared.contains(CommandRules.text(block))
    do {
      return try start(registration, block, staged, run, client)
    } catch {
      return .error(code: .spawnFailed, message: "\"\(command)\" cannot be started: \(error)")
    }
  }

  func freeName(for command: String) -> String? {
    guard let name = ProgramName.derived(fromPath: command) else { return nil }
    guard engine.find(name: name) != nil else { return name }
    return (2...999).lazy.map { "\(name)-\($0)" }.first { engine.find(name: $0) == nil }
  }

  private func start(
    _ registration: Registration, _ block: CommandBlock, _ staged: Staged, _ run: Request.Run,
    _ client: Client
  ) throws(SystemError) -> Reply? {
    let (seed, status) = try spawn(registration.name, block, staged)
    guard let program = install(seed, registration) else {
      discard(seed)
      return installRefusal
    }
    program.command = CommandRules(run, words: CommandRules.text(block))
    program.standardStreams = staged.standard.compactMap { $0.flatMap { try? FileIdentity.of($0.raw) } }
    program.startedAt = seenAt
    guardian?.store(program, registration)
    if registration.isSpared { program.remark = Self.sparedRemark }
    do {
      try epoll.add(status.raw, token: program.token(.exec).raw, interest: .readable)
    } catch {
      // Its end is told by its pidfd, and the program goes with it.
      try? program.suspender.kill()
      throw error
    }
    program.isDetached = run.detach
    let command = String(decoding: block[0], as: UTF8.self)
    program.exec = PendingExec(status: status, client: client, command: command)
    client.isWaiting = true
    markDirty(client)
    watch(program, client)
    return nil
  }

  private func spawn(_ name: String, _ block: CommandBlock, _ staged: Staged) throws(SystemError) -> (
    ProgramSeed, status: DescriptorBox
  ) {
    let cgroup = try? place.make(for: name)
    _ = cgroup?.limitProcesses(to: Self.maximumTasks)
    var block = block
    let tag = cgroup == nil ? tag(&block) : nil
    var request = SpawnRequest(block)
    request.directory = staged.directory?.raw
    request.standardInput = staged.standard[0]?.raw
    request.standardOutput = staged.standard[1]?.raw
    request.standardError = staged.standard[2]?.raw
    request.group = .newSession
    request.cgroup = cgroup?.directory
    request.openFileLimit = options.openFileLimit
    do {
      let spawned = try Process.spawn(request)
      let pid = spawned.pid
      let (pidfd, status) = spawned.boxes()
      let suspender: Suspender =
        if let cgroup { .cgroup(cgroup) } else { signals(command: pid, pidfd, tag) }
      let seed = ProgramSeed(
        name: name, isCommand: true, suspender: suspender, pid: pid, pidfd: pidfd, speaker: nil)
      return (seed, status)
    } catch {
      if let cgroup { place.retire(cgroup) }
      throw error
    }
  }

  /// Ends a command that was started and is no program after all.
  private func discard(_ seed: ProgramSeed) {
    try? seed.suspender.kill()
    strays.append(seed)
    // Without this it is reaped with the next one.
    try? epoll.add(seed.pidfd.raw, token: Token(.stray).raw, interest: [.readable, .oneShot])
  }

  func reapStrays() {
    strays.removeAll { seed in
      guard ((try? Process.waitStatus(seed.pidfd.raw)) ?? nil) != nil else { return false }
      try? epoll.remove(seed.pidfd.raw)
      if case .cgroup(let cgroup) = seed.suspender { place.retire(cgroup) }
      return true
    }
  }

  private func watch(_ program: Program, _ client: Client) {
    guard !program.watchers.contains(where: { $0 === client }) else { return }
    program.watchers.append(client)
    client.watched.append(program)
  }

  func execAnswered(_ token: Token) {
    guard let program = program(token) else { return }
    finishExec(program)
  }

  /// The clone has become the command, or has said by its errno why not.
  func finishExec(_ program: Program) {
    guard let exec = program.exec else { return }
    let result = (try? Process.execResult(exec.status.raw)) ?? .started
    if case .pending = result { return }
    program.exec = nil
    try? epoll.remove(exec.status.raw)
    guard let client = exec.client else { return }
    if case .failed(let error) = result {
      program.watchers = []
      client.watched.removeAll { $0 === program }
      reply(failure(error, exec.command), to: client)
    } else {
      reply(.ok(Message(.ok).adding(.name, program.name).adding(.pid, program.pid)), to: client)
    }
    client.isWaiting = false
    markDirty(client)
    readLines(client)
    clientReady(client)
  }

  private func failure(_ error: SystemError, _ command: String) -> Reply {
    if error.isNoSuchFile { return .error(code: .notFound, message: "\(command): command not found") }
    guard error.isNotExecutable else {
      return .error(code: .spawnFailed, message: "\(command): \(error.message)")
    }
    return .error(code: .notExecutable, message: "\(command): cannot be executed (\(error.message))")
  }

  func attach(_ name: String, _ client: Client) -> Reply {
    guard let id = engine.find(name: name), let program = program(id), program.isCommand else {
      guard let index = unheardEnds.firstIndex(where: { $0.name == name }) else { return noSuchProgram(name) }
      let end = unheardEnds.remove(at: index)
      send(end.notice, to: client)
      return .ok(Message(.ok).adding(.name, name).adding(.pid, end.pid))
    }
    watch(program, client)
    program.isDetached = false
    if let status = program.leaderStatus { send(exited(program, status), to: client) }
    return .ok(Message(.ok).adding(.name, name).adding(.pid, program.pid))
  }

  func signal(_ name: String, _ number: Int32) -> Reply {
    guard let id = engine.find(name: name), let program = program(id) else { return noSuchProgram(name) }
    // A signal that the program handles would wait for the next thaw.
    switch number {
    case Signal.kill: break
    case Signal.terminate, Signal.interrupt, Signal.hangUp, Signal.quit: feed(.ending(id))
    default: feed(.signalled(id))
    }
    program.signalledAt = seenAt
    do {
      try send(number, to: program)
      return .ok
    } catch {
      return .error(
        code: .refused, message: "signal \(number) cannot be sent to \"\(name)\": \(error.message)")
    }
  }

  /// The terminal of a program that was not detached is gone.
  func watcherGone(_ client: Client, of program: Program) {
    program.watchers.removeAll { $0 === client }
    guard program.watchers.isEmpty, !program.isDetached, program.leaderStatus == nil, !isStopping else {
      return
    }
    _ = signal(program.name, Signal.hangUp)
    _ = ask { .command(program.id, .quit, $0) }
  }
}
