import LullChannel
import LullEngine
import LullSystem
import LullWire

// A command is the child of its client. The client asks for room (`run`), starts its child there, and hands
// the child over (`started`) before it becomes the command.
extension LifecycleFeature {
  /// The kernel's limit of a command's processes and threads: it stops a command that forks without end.
  private static var maximumTasks: Int { 4096 }

  func run(_ run: Request.Run, _ client: Client) -> Reply? {
    giveUp(reservations.take(client.slot))
    guard let (file, arguments) = control.staging.take(client).command else {
      return .error(.missingField, .init(.needsCommand, seconds: policy.stagingTime.seconds))
    }
    let block: CommandBlock
    do throws(CommandError) {
      block = try CommandBlock.read(file, arguments: arguments)
    } catch {
      return error.reply
    }
    let command = String(decoding: block[0], as: UTF8.self)
    if let text = run.settings.udpKeepAliveTo, SocketAddress(numeric: text) == nil {
      return .error(.badValue, .init(.needsNumericAddress, text: text))
    }
    guard let name = run.name ?? freeName(for: command) else {
      return .error(.badValue, .init(.needsName, text: command))
    }
    let isAwaited = !run.returns && awaited.holds(name)
    guard !reservations.hold(name), !isAwaited, healthNote(onLeft: name) == nil else {
      return Reply(.nameInUse(name))
    }
    if run.returns { letGo(name, of: client) }
    if run.isLaunched, let refusal = installed.refusalIfQuit(name) { return refusal }
    var registration = Registration(run, name: name)
    if let refusal = engine.refusal(of: registration) { return Reply(refusal) }
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
    engine.find(name: name) != nil || reservations.hold(name) || awaited.holds(name)
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
      return .error(.missingField, .init(.needsRun, seconds: policy.stagingTime.seconds))
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
      return .error(.refused, .init(.notYourChild))
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
      name: reservation.name, kind: .command(state), suspender: suspender, pid: pid, pidfd: pidfd)
    if reservation.run.isLaunched, let launch = reservation.run.launch, !engine.isOnItsWay(reservation.name) {
      installed.noteLaunch(of: reservation.name, launch)
    }
    guard let program = admit(seed, registration) else {
      suspenders.dismiss(suspender)
      return admissionRefusal
    }
    begins(program, registration, isDetached: reservation.run.detach)
    kept.lines.started(program)
    notes.set(.keptLines, of: program.id, kept.lines.untaken.healthNote(on: program.name))
    program.wasLaunched(for: reservation.run.launch)
    if reservation.run.returns { gather(program, of: client) }
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

  /// `isDetached`: the command goes on without its parent.
  func begins(_ command: Program, _ registration: Registration, isDetached: Bool) {
    command.declare(registration.settings.schemes)
    if registration.settings.keepsLines { command.keepLinesAfterCrash() }
    if registration.isFreezeExempt { notes.noteExempt(command.id) }
    if let run = command.command?.run {
      observer.setStandardStreams(standardStreams(of: command.pidfd, run), of: command.id)
    }
    control.programs.setDetached(command.id, isDetached)
  }

  /// Standard streams are no lines; an input to which others write is one.
  private func standardStreams(of pidfd: DescriptorBox, _ run: Request.Run) -> [FileIdentity] {
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
  func abandoned(_ program: Program) {
    guard program.leaderStatus == nil, !core.signals.areToStop else { return }
    guard !hasEnded(program) else { return ended(program, endStatus(of: program) ?? .unknown) }
    program.wasHungUp()
    note(program)
    _ = signal(program.name, Policy.hangUp.signal, sent: false)
    _ = ask(.transition(program.id, Policy.hangUp.transition))
  }

  // MARK: Parents

  func attach(_ name: String, _ client: Client) -> Reply {
    guard let program = program(named: name), program.isCommand else {
      // Its keeper hands it over when it hears this. By `busy` each of the two would wait for the other.
      guard let end = exits.take(name) else { return unknown(name) }
      send(end.notice, to: client)
      return .ok(Message(.ok).adding(.name, name).adding(.pid, end.pid))
    }
    control.programs.watch(program.id, client)
    // The connection of anybody else is no hold on the program.
    if isParent(client, of: program) {
      control.programs.setDetached(program.id, program.command?.run.detach ?? true)
    }
    if let status = program.leaderStatus { send(Exits.notice(of: program.name, status), to: client) }
    return .ok(Message(.ok).adding(.name, name).adding(.pid, program.pid))
  }

  private func isParent(_ client: Client, of program: Program) -> Bool {
    program.leaderStatus == nil && parent(of: program.pid) == client.pid
  }

  /// Its parent is about to take the status of its end.
  func ended(_ name: String, status: ExitStatus, client: Client) -> Reply {
    guard let program = program(named: name), program.isCommand else {
      return noSuchProgram(name)
    }
    guard program.leaderStatus == nil else { return .ok }
    guard isParent(client, of: program), hasEnded(program) else {
      return .error(.refused, .init(.notItsParent, name: name))
    }
    ended(program, endStatus(of: program) ?? status)
    return .ok
  }

  /// The program is woken for the signal. One that was `sent` has come to it already, or waits for it to
  /// wake.
  func signal(_ name: String, _ number: Int32, sent: Bool) -> Reply {
    guard let program = program(named: name) else { return noSuchProgram(name) }
    // SIGCONT, with which a program goes on that is held still by SIGSTOP, drops a stop that waits.
    let isDropped = Signal.stopping.contains(number) && program.suspender.stopsBySignal
    // A signal that the program handles would wait for the next thaw.
    switch Policy.meaning(ofSignal: number) {
    case .kills: break
    case .asksToEnd:
      feed(.ending(program.id))
      noteEnding(of: program.id)
    case .wakes: feed(.signalled(program.id))
    }
    freezer.signalled(program.id, at: seenAt)
    guard !sent || isDropped else { return .ok }
    do {
      try send(number, to: program)
      return .ok
    } catch {
      return .error(.refused, .init(.signalNotSent, name: name, number: number, error: error.message))
    }
  }

  // MARK: Return

  // A command that has outlived its daemon returns: its parent asks for room as for a start, moves its
  // processes there, and hands it over. The processes may have come to this daemon before, each for itself.

  /// A process of a command is no farther from its parent.
  private static var generations: Int { 64 }

  func letGo(_ name: String, of parent: Client) {
    if let program = program(named: name) { letGo(program, of: parent) }
  }

  /// The processes of a command that has returned connect anew, or their connections are taken over: then
  /// they speak for it.
  private func gather(_ command: Program, of parent: Client) {
    command.returned(until: seenAt + policy.returnTime.nanoseconds)
    for other in Array(programs) where other.id != command.id { letGo(other, of: parent) }
    // The race: a process that opens an audio session has connected before, and asks for the session now. It
    // would become a program of its own beside its command, which is frozen while it waits for the answer.
    control.enter(command.id) { descends($0, from: parent.pid) }
    journal.note(program: command.name, what: "returned", .init(.outlivedDaemon, pid: command.pid))
  }

  private func letGo(_ program: Program, of parent: Client) {
    guard !program.isCommand, descends(program.pid, from: parent.pid), Process.isNumbered(program.pidfd.raw)
    else { return }
    letGo(program)
  }

  /// The program speaks anew on `client`, or on a connection that it makes when its own is closed.
  func letGo(_ program: Program, for client: Client? = nil) {
    let speaker = control.programs.speaker(of: program.id)
    for other in control.programs.connections(of: program.id) where other !== client {
      if other === speaker || !program.isCommand { control.close(other) }
    }
    programs.stays(program.id)
    sources.dropAll(of: program.id)
    program.comesBack()
    feed(.leave(program.id))
  }

  func descends(_ pid: Int32, from ancestor: Int32) -> Bool {
    var pid = pid
    for _ in 0..<Self.generations where pid > 1 {
      guard let parent = parent(of: pid) else { return false }
      if parent == ancestor { return true }
      pid = parent
    }
    return false
  }
}

extension Request.Run {
  /// A command that returns was launched before: the reason is only told.
  fileprivate var isLaunched: Bool { launch != nil && !returns }
}
