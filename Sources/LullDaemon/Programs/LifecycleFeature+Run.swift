import LullChannel
import LullEngine
import LullSystem
import LullWire

// A command is the child of its client. The client asks for room (`run`), starts its child there, and hands
// the child over (`started`) before it becomes the command.
extension LifecycleFeature {
  /// The limit of processes and threads of one command, where the kernel counts them: it stops a command that
  /// forks without end.
  private static var maximumTasks: Int { 4096 }

  private var stagingSeconds: Int { Int(services.policy.stagingTime.seconds) }

  func run(_ run: Request.Run, _ client: Client) -> Reply? {
    giveUp(reservations.take(client.slot))
    guard let (file, arguments) = control.staging.take(client).command else {
      return .error(
        code: .missingField,
        message: "send the command before run (after \(stagingSeconds) s it is dropped)")
    }
    let block: CommandBlock
    do throws(CommandError) {
      block = try CommandBlock.read(file, arguments: arguments)
    } catch {
      return error.reply
    }
    let command = String(decoding: block[0], as: UTF8.self)
    if let text = run.settings.udpKeepAliveTo, SocketAddress(numeric: text) == nil {
      return .error(
        code: .badValue,
        message: "udpKeepaliveTo=\(text): use a numeric address and a port, such as 192.0.2.1:5060")
    }
    guard let name = run.name ?? freeName(for: command) else {
      return .error(code: .badValue, message: "no program name can be made of \"\(command)\"; give name=")
    }
    let isAwaited = !run.returns && awaited.holds(name)
    guard !reservations.hold(name), !isAwaited, remark(onLeft: name) == nil else {
      return Reply(.nameInUse(name))
    }
    if run.returns { letGo(name, of: client) }
    if run.isLaunched, let refusal = installed.refusalIfQuit(name) { return refusal }
    var registration = Registration(run, name: name)
    if let refusal = host.engine.refusal(of: registration) { return Reply(refusal) }
    let words = CommandRules.text(block)
    registration.isFreezeExempt = registration.sleepsByItself && exempt.holds(words)
    return reserve(registration, run: run, words: words, client: client)
  }

  func freeName(for command: String) -> String? {
    guard let name = ProgramName.derived(fromPath: command) else { return nil }
    guard isTaken(name) else { return name }
    return (2...999).lazy.map { "\(name)-\($0)" }.first { !isTaken($0) }
  }

  func isTaken(_ name: String) -> Bool {
    host.engine.find(name: name) != nil || reservations.hold(name) || awaited.holds(name)
  }

  private func reserve(
    _ registration: Registration, run: Request.Run, words: String, client: Client
  ) -> Reply? {
    let cgroup = suspenders.makeCgroup(for: registration.name)
    _ = cgroup?.limitProcesses(to: Self.maximumTasks)
    reservations.add(
      Reservations.Reservation(
        client: client.slot, run: run, registration: registration, words: words, cgroup: cgroup))
    tellFollowers()
    control.send(
      Message(.ok).adding(.name, registration.name), to: client, descriptor: cgroup.flatMap(directory(of:)))
    return nil
  }

  private func directory(of cgroup: Cgroup) -> DescriptorBox? {
    journal.ignoring([], DescriptorBox(try .duplicating(cgroup.directory)))
  }

  func giveUp(_ reservation: Reservations.Reservation?) {
    if let cgroup = reservation?.cgroup { suspenders.retire(cgroup) }
  }

  func giveUpOldReservations() {
    while let old = reservations.takeOld(at: Clock.boottime()) { giveUp(old) }
  }

  // MARK: Taking over

  func started(_ descriptor: DescriptorBox?, _ client: Client) -> Reply {
    guard let pidfd = descriptor else { return .missingDescriptor }
    guard let reservation = reservations.take(client.slot) else {
      return .error(
        code: .missingField,
        message: "send run before started (after \(stagingSeconds) s it is given up)")
    }
    if reservation.run.isLaunched, let refusal = installed.refusalIfQuit(reservation.name) {
      giveUp(reservation)
      return refusal
    }
    // A parent that has given up asks again; its command must not get the hang-up of one without a parent.
    guard !reservation.run.returns || !client.hasLeft else {
      giveUp(reservation)
      return .unheard
    }
    guard let pid = child(behind: pidfd, of: client) else {
      giveUp(reservation)
      return .error(code: .refused, message: "the descriptor must be the pidfd of a child of yours")
    }
    var registration = reservation.registration
    registration.keepAliveLastRun = engine.installed(reservation.name)?.lastKeepAliveRun
    // The start for a keep-alive is a run of it, of which the next daemon must know as of any other.
    let state = CommandState(
      CommandRules(reservation.run, words: reservation.words), startedAt: seenAt,
      keepAliveRanAt: registration.keepAliveLastRun.map(clock.boottime(at:)))
    let suspender = suspenders.suspender(
      command: pid, pidfd, of: client.pid, cgroup: reservation.cgroup)
    let seed = ProgramSeed(
      name: reservation.name, kind: .command(state), suspender: suspender, pid: pid, pidfd: pidfd,
      speaker: nil)
    if reservation.run.isLaunched, let launch = reservation.run.launch, !engine.isOnItsWay(reservation.name) {
      installed.noteLaunch(of: reservation.name, launch)
    }
    guard let program = install(seed, registration) else {
      suspenders.dismiss(suspender)
      return installRefusal
    }
    program.declare(reservation.run.settings.schemes)
    if reservation.run.settings.keepsLines { program.keepLinesAfterCrash() }
    kept.lines.started(program)
    remarks.set(.keptLines, of: program.id, kept.lines.untaken.text(of: program.name))
    program.wasLaunched(for: reservation.run.launch)
    if reservation.run.returns { gather(program, of: client) }
    observer.setStandardStreams(standardStreams(of: pidfd, reservation.run), of: program.id)
    if reservation.registration.isFreezeExempt { remarks.noteExempt(program.id) }
    control.programs.setDetached(program.id, reservation.run.detach)
    control.programs.watch(program.id, client)
    return .ok(Message(.ok).adding(.name, program.name).adding(.pid, pid))
  }

  /// Nil for any descriptor that is not the pidfd of a child of the client.
  private func child(behind pidfd: DescriptorBox, of client: Client) -> Int32? {
    guard let pid = journal.ignoring([], try Process.number(of: pidfd.raw)) ?? nil,
      parent(of: pid) == client.pid, Process.isNumbered(pidfd.raw)
    else { return nil }
    return pid
  }

  /// The standard streams of a command, which are no lines; an input to which others write is one.
  func standardStreams(of pidfd: DescriptorBox, _ run: Request.Run) -> [FileIdentity] {
    var streams: [FileIdentity] = []
    for number: Int32 in 0...2 {
      guard let copy = try? Process.getDescriptor(pidfd.raw, number: number),
        let stream = journal.ignoring([], try FileIdentity.of(copy.raw))
      else { continue }
      streams.append(stream)
    }
    // The output of a terminal is the same file as its input.
    if run.hasInput, let input = streams.first { streams.removeAll { $0 == input } }
    return streams
  }

  /// The terminal of a program that was not detached is gone, or its parent was killed.
  func abandoned(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil, !core.signals.areToStop else { return }
    guard !hasEnded(program) else { return ended(program, endStatus(of: program) ?? .unknown) }
    program.wasHungUp()
    note(program)
    _ = signal(program.name, Policy.hangUp.signal, sent: false)
    _ = ask(.transition(program.id, Policy.hangUp.transition))
  }
}

extension Request.Run {
  /// True for one that is launched now. One that returns was launched before: the reason is only told.
  fileprivate var isLaunched: Bool { launch != nil && !returns }
}
