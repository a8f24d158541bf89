import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// The longest list of arguments and environment that is taken; the kernel's own limit is a quarter of the
  /// stack.
  private static let maximumCommand = 4 << 20

  /// Processes and threads of one command, where the kernel counts them: one that forks without end is
  /// stopped there.
  private static var maximumTasks: Int { 4096 }

  func stage(_ client: Client, _ descriptor: DescriptorBox?, standard number: Int32) -> Reply {
    guard let descriptor else { return missingDescriptor }
    guard client.staged.standard.indices.contains(Int(number)) else {
      return .error(code: .badValue, message: "number=\(number): use 0, 1 or 2")
    }
    client.staged.standard[Int(number)] = descriptor
    return .ok
  }

  func stage(_ client: Client, directory: DescriptorBox?) -> Reply {
    guard let directory else { return missingDescriptor }
    client.staged.directory = directory
    return .ok
  }

  func stage(_ client: Client, command: DescriptorBox?, arguments: Int) -> Reply {
    guard let command else { return missingDescriptor }
    do {
      let bytes = try Files.readMemoryFile(command.raw, limit: Self.maximumCommand)
      let strings = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
      guard arguments >= 1, arguments <= strings.count, !strings[0].isEmpty else {
        return .error(
          code: .badValue, message: "arguments=\(arguments): the file holds \(strings.count) strings")
      }
      client.staged.arguments = Array(strings.prefix(arguments))
      client.staged.environment = Array(strings.dropFirst(arguments))
      return .ok
    } catch {
      return .error(code: .badValue, message: "the command cannot be read from its descriptor: \(error)")
    }
  }

  var missingDescriptor: Reply {
    .error(code: .missingField, message: "send the descriptor with the line that names it (SCM_RIGHTS)")
  }

  func run(_ run: Request.Run, _ client: Client) -> Reply? {
    let staged = client.staged
    client.staged = Client.Staged()
    guard let first = staged.arguments.first else {
      return .error(code: .missingField, message: "send the command before run")
    }
    let command = String(decoding: first, as: UTF8.self)
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
    var registration = Registration(run, name: name)
    registration.isSpared =
      registration.sleepsByItself && spared.contains(CommandRules.text(staged.arguments))
    do {
      return try start(registration, command, staged, run, client)
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
    _ registration: Registration, _ command: String, _ staged: Client.Staged, _ run: Request.Run,
    _ client: Client
  ) throws(SystemError) -> Reply? {
    let cgroup = try? place.make(for: registration.name)
    _ = cgroup?.limitProcesses(to: Self.maximumTasks)
    var request = SpawnRequest(arguments: staged.arguments, environment: staged.environment)
    request.directory = staged.directory?.raw
    request.standardInput = staged.standard[0]?.raw
    request.standardOutput = staged.standard[1]?.raw
    request.standardError = staged.standard[2]?.raw
    request.group = .newSession
    request.cgroup = cgroup?.directory
    request.openFileLimit = options.openFileLimit
    let spawned = try Process.spawn(request)
    let pid = spawned.pid
    let (pidfd, status) = spawned.boxes()
    let suspender: Suspender =
      if let cgroup { .cgroup(cgroup) } else { .signal(.group(pid), why: place.remark ?? "no cgroup") }
    let seed = ProgramSeed(
      name: registration.name, isCommand: true, suspender: suspender, pid: pid, pidfd: pidfd, speaker: nil)
    guard let program = install(seed, registration) else {
      try? suspender.kill()
      return Reply(.tooManyPrograms(engine.policy.maximumPrograms))
    }
    program.command = CommandRules(run, words: staged.arguments)
    program.standardStreams = staged.standard.compactMap { $0.flatMap { try? FileIdentity.of($0.raw) } }
    program.startedAt = seenAt
    guardian?.store(program, registration)
    if registration.isSpared { program.remark = Self.sparedRemark }
    program.isDetached = run.detach
    program.exec = PendingExec(status: status, client: client, command: command)
    client.isWaiting = true
    watch(program, client)
    try epoll.add(status.raw, token: program.token(.exec).raw, interest: .readable)
    return nil
  }

  private func watch(_ program: Program, _ client: Client) {
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
    default: _ = ask { .command(id, .wake, $0) }
    }
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
