import LullChannel
import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func run(_ run: Request.Run, _ client: Client) -> Reply? {
    let staged = control.staging.take(client)
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
    if let text = run.udpKeepAliveTo, SocketAddress(numeric: text) == nil {
      return .error(
        code: .badValue,
        message: "udpKeepaliveTo=\(text): use a numeric address and a port, such as 192.0.2.1:5060")
    }
    guard let name = run.name ?? freeName(for: command) else {
      return .error(code: .badValue, message: "no program name can be made of \"\(command)\"; give name=")
    }
    var registration = Registration(run, name: name)
    if let refusal = host.engine.refusal(of: registration) { return Reply(refusal) }
    registration.isFreezeExempt =
      registration.sleepsByItself && commands.isExempt(CommandRules.text(block))
    do {
      return try start(registration, block: block, staged: staged, run: run, client: client)
    } catch {
      return .error(code: .spawnFailed, message: "\"\(command)\" cannot be started: \(error)")
    }
  }

  func freeName(for command: String) -> String? {
    guard let name = ProgramName.derived(fromPath: command) else { return nil }
    guard host.engine.find(name: name) != nil else { return name }
    return (2...999).lazy.map { "\(name)-\($0)" }.first { host.engine.find(name: $0) == nil }
  }

  private func start(
    _ registration: Registration, block: CommandBlock, staged: Staged, run: Request.Run,
    client: Client
  ) throws(SystemError) -> Reply? {
    let state = CommandState(CommandRules(run, words: CommandRules.text(block)), startedAt: seenAt)
    let (seed, status) = try spawn(registration.name, block: block, staged: staged, state: state)
    guard let program = install(seed, registration) else {
      exits.end(seed)
      return installRefusal
    }
    observer.setStandardStreams(staged.standard.compactMap(\.self).compactMap(identity), of: program.id)
    if registration.isFreezeExempt { remarks.noteExempt(program.id) }
    do {
      let command = String(decoding: block[0], as: UTF8.self)
      try launcher.track(program, status: status, client: client.slot, command: command)
    } catch {
      // The end of the command is told by its pidfd, and the program goes with it.
      journal.ignoring(.gone, try program.suspender.kill())
      throw error
    }
    control.programs.setDetached(program.id, run.detach)
    control.wait(client)
    control.programs.watch(program.id, client)
    return nil
  }

  private func identity(of descriptor: DescriptorBox) -> FileIdentity? {
    journal.ignoring([], try FileIdentity.of(descriptor.raw))
  }

  private func spawn(_ name: String, block: CommandBlock, staged: Staged, state: CommandState)
    throws(SystemError) -> (ProgramSeed, status: DescriptorBox)
  {
    var block = block
    let start = suspenders.prepare(&block, name: name)
    do {
      let child = try launcher.spawn(block, staged, in: start.cgroup)
      let suspender = suspenders.suspender(command: child.pid, child.pidfd, start)
      let seed = ProgramSeed(
        name: name, kind: .command(state), suspender: suspender, pid: child.pid, pidfd: child.pidfd,
        speaker: nil)
      return (seed, child.status)
    } catch {
      suspenders.abandon(start)
      throw error
    }
  }

  func reapStrays() {
    for seed in exits.reap() { suspenders.dismiss(seed.suspender) }
  }

  func execAnswered(_ id: AppID) {
    guard let program = program(id) else { return }
    finishExec(program)
  }

  /// The clone has become the command, or has reported its errno.
  func finishExec(_ program: Program) {
    switch launcher.finish(program.id) {
    case .nothing: return
    case .started(let client):
      let started = Message(.ok).adding(.name, program.name).adding(.pid, program.pid)
      goOn(client, .ok(started))
    case .failed(let client, let refusal):
      control.programs.unwatchAll(program.id)
      goOn(client, refusal)
    }
  }

  private func goOn(_ waiting: Slot, _ answer: Reply) {
    guard let client = control[waiting] else { return }
    reply(answer, to: client)
    control.resume(client)
    hear(client, reads: RequestReader.readsAtOnce)
  }

  /// The terminal of a program that was not detached is gone.
  func abandoned(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil, !signals.areToStop else { return }
    _ = signal(program.name, Policy.hangUp.signal)
    _ = ask(.transition(program.id, Policy.hangUp.transition))
  }
}
