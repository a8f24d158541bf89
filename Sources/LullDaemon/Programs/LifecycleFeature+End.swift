import LullEngine
import LullSystem
import LullWire

extension LifecycleFeature {
  /// An installed program is started no more. With `keepsLines` or `restarts` the client starts it again,
  /// when it is told that it has ended.
  func quit(
    _ name: String, now isAtOnce: Bool, keepsLines: Bool, restarts: Bool, _ client: Client
  ) -> Reply? {
    guard let program = program(named: name) else {
      installed.noteInstalled(name)
      if let end = endLeft(name) {
        send(end.item.adding(to: Message(event: .ended)).adding(flag: .killed), to: client)
        return .ok(Message(.ok).adding(.state, ApplicationState.notRunning.rawValue))
      }
      return kept.quitEnded(name, keepsLines: keepsLines, client)
    }
    let id = program.id
    if let refusal = program.refusalOfEnd { return refusal }
    var isAtOnce = isAtOnce
    if keepsLines {
      if let refusal = kept.keepLines(of: program, restarts: true) { return refusal }
      // A command would take its leave of its peers.
      isAtOnce = isAtOnce || !speaks(id)
    } else {
      ledger.wasQuit(name, restarts: restarts)
      _ = ask(.forceQuit(name))
      program.parts(.forGood(restarts: restarts))
      // The record is written before the deed: this daemon may die between them.
      note(program)
    }
    let answer = ask(.transition(id, isAtOnce ? .kill : .quit))
    guard case .done = answer else { return Reply(answer) }
    control.programs.addQuitter(client, of: id)
    let state = engine.state(of: id) ?? .notRunning
    let left = engine.timeToEnd(of: id, at: now)
    return .ok(Message(.ok).adding(.state, state.rawValue).adding(.remainingSeconds, left?.seconds))
  }

  func tellEnd(of program: Program) {
    let notice = program.end(program.leaderStatus ?? .unknown, at: host.seenOnWall)
      .item.adding(to: Message(event: .ended))
    for client in control.programs.quitters(of: program.id) {
      send(notice.adding(flag: .killed, if: program.isKilled), to: client)
    }
  }

  /// Asks a program to end by SIGTERM. A frozen program could not take the signal, but the engine asks only
  /// those that run.
  ///
  /// Every process gets it, once: a shell that waits for a phone passes nothing on to it, and a phone that
  /// gets it twice ends without taking its registration back. A process that is stopped goes on to take it.
  ///
  /// A command whose lines are kept is killed instead: it would take its leave of its peers.
  func terminate(_ id: AppID) {
    guard let program = program(id) else { return }
    guard !kept.isKilledForItsLines(program) else {
      journaling.write(.killed(.purged), of: id)
      return kill(id)
    }
    noteEnding(of: id)
    forEachProcess(listing: { pids(of: program) }) { askToEnd($0, of: program) }
  }

  private func askToEnd(_ pid: Int32, of program: Program) {
    // The race: the process has ended since it was listed, and the number is another one's by now.
    guard let pidfd = journal.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(pid))),
      owns(pid, program)
    else { return }
    for number in [Signal.terminate, Signal.continue] {
      journal.ignoring(.ended, try Process.sendSignal(pidfd.raw, number))
    }
  }

  private func owns(_ pid: Int32, _ program: Program) -> Bool {
    switch program.suspender {
    case .cgroup:
      guard let own = program.cgroupPath, let path = suspenders.cgroupPath(of: pid) else { return false }
      return path == own || path.hasPrefix(own + "/")
    case .signal: return pids(of: program).contains(pid)
    }
  }

  /// Who traces a program is asked only when a limit is about to kill it, before the tick that does.
  func tellTraced() {
    for id in engine.overdue(at: now) {
      if let program = program(id), tracer(of: program) != nil { feed(.traced(id)) }
    }
  }

  private func endLeft(_ name: String) -> EndEntry? {
    guard healthNote(onLeft: name) != nil, let entry = ledger.ledger.program(name) else { return nil }
    ledger.wasQuit(name, restarts: false)
    _ = ask(.forceQuit(name))
    if let path = entry.cgroup, let cgroup = journal.ignoring(.removed, try Cgroup.open(at: path)) {
      journal.ignoring(.removed, try cgroup.killAll())
    } else if let process = entry.process.open() {
      journal.ignoring(.ended, try Process.sendSignal(process.raw, Signal.kill))
    }
    let end = EndEntry(
      name: name, at: host.seenOnWall, process: entry.process, status: .signaled(Signal.kill),
      reason: OpenWord(.quit))
    ledger.note(.ended(end))
    return end
  }

  /// Of a command every process in its leader's process group is signalled, as a shell would do. The group
  /// is the caller's too, so each process is signalled by itself.
  func send(_ signal: Int32, to program: Program) throws(SystemError) {
    guard program.isCommand else { return try Process.sendSignal(program.pidfd.raw, signal) }
    try sendToEach(signal, of: program)
  }

  func kill(_ id: AppID) {
    guard let program = program(id) else { return }
    program.killed()
    noteEnding(of: id)
    freezer.kill(id, program.suspender)
  }

  /// The command ended right after its trial freeze.
  func exempt(_ id: AppID) {
    if let words = program(id)?.command?.words { exempt.add(words, atMost: policy.maximumFreezeExempt) }
  }

  func runKeepAlive(_ id: AppID, _ ticket: Ticket) {
    if let program = program(id), let state = program.commandState {
      // The next daemon must not run the keep-alive too soon, nor too late.
      state.keepAliveRan(at: seenAt)
      note(program)
    }
    tell(id, .keepAlive(ticket))
  }

  func runFetch(_ id: AppID, _ ticket: Ticket) {
    if let program = program(id), let state = program.commandState {
      state.fetched(at: seenAt)
      note(program)
    }
    tell(id, .fetch(ticket))
  }

  func forget(_ program: Program) {
    closeEntry(of: program)
    programs.remove(program.id)
    control.programs.forget(program.id, isUnmanaged: program.isUnmanaged)
    program.unwatch(in: reactor)
    if case .signal(let tree, _) = program.suspender {
      for member in tree.members { member.unwatch(in: reactor) }
    }
    suspenders.dismiss(program.suspender)
  }

  // MARK: Processes

  func processEnded(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil else { return }
    let status = endStatus(of: program)
    // A parent that is connected tells the status that this process may not read.
    guard status != nil || !hasParentHere(program) else { return }
    ended(program, status ?? .unknown)
  }

  /// The kernel tells the end of a leader until its parent has taken the status, and from Linux 6.15 on
  /// afterwards. Nil when it does not tell.
  func endStatus(of program: Program) -> ExitStatus? { endStatus(of: program.pid, program.pidfd) }

  /// `pidfd` was opened before the end of the process.
  func endStatus(of pid: Int32, _ pidfd: DescriptorBox) -> ExitStatus? {
    let unread = journal.ignoring(.gone, try Process.zombieStatus(of: pid)) ?? nil
    return unread ?? (try? Process.exitStatus(pidfd.raw)) ?? nil
  }

  private func hasParentHere(_ program: Program) -> Bool {
    guard let parent = try? Process.parentPid(of: program.pid) else { return false }
    return control.programs.watchers(of: program.id).contains { $0.pid == parent }
  }

  func ended(_ program: Program, _ status: ExitStatus) {
    if program.isCommand, !program.isAdopted, case .exited = status,
      (try? Process.hasNotExecuted(program.pid)) == true
    {
      program.wasNotStarted()
    }
    program.leaderEnded(status)
    kept.keepLinesAfterCrash(of: program)
    programs.stays(program.id)
    let watchers = control.programs.watchers(of: program.id)
    let notice = Exits.notice(of: program.name, status)
    for watcher in watchers { send(notice, to: watcher) }
    if program.isCommand, watchers.isEmpty {
      exits.remember(Exits.UnheardEnd(name: program.name, pid: program.pid, notice: notice))
    }
    switch program.suspender {
    case .cgroup(let cgroup): checkLastProcess(program, cgroup)
    case .signal(let tree, _): checkLastProcess(program, tree)
    }
    // Other processes of the program sleep on. The leader's open files must be closed, and its children get
    // news of its end.
    if program.waitsForLastProcess { feed(.childEnded(program.id)) }
  }

  /// Children and double forks stay in the cgroup; the program ends with the last of them.
  func checkLastProcess(_ program: Program, _ cgroup: Cgroup) {
    // The watch comes first: a change between the check and the watch would be missed otherwise.
    journal.ignoring(.removed, try freezer.watchEvents(of: cgroup, program.id))
    guard (try? cgroup.state().populated) != true else { return }
    program.lastProcessEnded()
    freezer.unwatchEvents(of: program.id)
    feed(.exited(program.id, program.leaderStatus ?? .unknown))
  }

  func cgroupChanged(_ id: AppID) {
    guard let program = program(id), case .cgroup(let cgroup) = program.suspender else { return }
    if program.waitsForLastProcess { checkLastProcess(program, cgroup) }
    if letGoOfMoved(program) { return }
    if let event = freezer.cgroupChanged(program.id) { feed(event) }
  }

  // MARK: Programs that are stopped by signals

  func signalled(_ pid: Int32) -> Program? {
    programs.first { program in
      guard !program.isUnmanaged, case .signal(let tree, _) = program.suspender else { return false }
      return tree.contains(pid) || tree.isOrphan(pid)
    }
  }

  /// Children and double forks belong to the program, which ends with the last of them.
  private func checkLastProcess(_ program: Program, _ tree: ProcessTree) {
    if !program.isUnmanaged { try? tree.update() }
    for member in tree.members where !member.isAwaited { member.watch(in: reactor, of: program.id) }
    guard program.isUnmanaged || !tree.members.contains(where: \.isAwaited) else { return }
    program.lastProcessEnded()
    feed(.exited(program.id, program.leaderStatus ?? .unknown))
  }

  func memberEnded(_ id: AppID) {
    guard let program = program(id), program.waitsForLastProcess,
      case .signal(let tree, _) = program.suspender
    else { return }
    checkLastProcess(program, tree)
    if program.waitsForLastProcess { feed(.childEnded(program.id)) }
  }

  /// All processes when the leader has ended.
  private func sendToEach(_ signal: Int32, of program: Program) throws(SystemError) {
    let group = journal.ignoring(.gone, try Process.processGroup(of: program.pid))
    for pid in try program.suspender.processes() {
      guard let pidfd = journal.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(pid))),
        let entry = journal.ignoring(.gone, try ProcessEntry(of: pid)),
        program.leaderStatus != nil || entry.group == group
      else { continue }
      journal.ignoring(.ended, try Process.sendSignal(pidfd.raw, signal))
    }
  }
}

extension Program {
  /// Nil for a program that Lull may end.
  fileprivate var refusalOfEnd: Reply? {
    guard let adoption = command?.adoption else { return nil }
    return .error(.refused, .init(.adoptedEndsElsewhere, name: name, text: adoption.origin))
  }
}
