import LullEngine
import LullSystem
import LullWire

extension LifecycleFeature {
  /// The times that a program's processes are listed to find those that were forked meanwhile.
  private static var passes: Int { 8 }

  /// Ends a program, and starts it no more if it is installed; with `keepsLines` or `restarts` it is ended to
  /// be started again by the client, who is told when it has ended.
  func quit(
    _ name: String, now isAtOnce: Bool, keepsLines: Bool, restarts: Bool, _ client: Client
  ) -> Reply? {
    guard let id = host.engine.find(name: name), let program = program(id) else {
      installed.noteInstalled(name)
      if let end = endLeft(name) {
        send(end.item.adding(to: Message(event: .ended)).adding(flag: .killed), to: client)
        return .ok(Message(.ok).adding(.state, ApplicationState.notRunning.rawValue))
      }
      return kept.quitEnded(name, keepsLines: keepsLines, client)
    }
    var isAtOnce = isAtOnce
    if keepsLines {
      if let refusal = kept.keepLines(of: program, restarts: true) { return refusal }
      // A command would take its leave of its peers.
      isAtOnce = isAtOnce || engine.registration(of: id)?.speaks != true
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
    let state = host.engine.state(of: id) ?? .notRunning
    let left = host.engine.timeToEnd(of: id, at: now)
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
    var told: Set<Int32> = []
    for _ in 0..<Self.passes {
      let pids = journal.ignoring(.gone, try program.suspender.processes()) ?? []
      let new = pids.filter { told.insert($0).inserted }
      guard !new.isEmpty else { return }
      for pid in new { askToEnd(pid, of: program) }
    }
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
    case .signal: return (journal.ignoring(.gone, try program.suspender.processes()) ?? []).contains(pid)
    }
  }

  /// Nil when no program of that name is left running.
  func endLeft(_ name: String) -> EndEntry? {
    guard remark(onLeft: name) != nil, let entry = ledger.ledger.program(name) else { return nil }
    ledger.wasQuit(name, restarts: false)
    _ = ask(.forceQuit(name))
    if let path = entry.cgroup, let cgroup = journal.ignoring(.removed, try Cgroup.open(at: path)) {
      journal.ignoring(.removed, try cgroup.killAll())
    } else if let process = entry.process.open() {
      journal.ignoring(.ended, try Process.sendSignal(process.raw, Signal.kill))
    }
    let end = EndEntry(
      name: name, at: host.seenOnWall, process: entry.process, status: .signaled(Signal.kill),
      reason: EndReason.quit.rawValue)
    ledger.note(.ended(end))
    return end
  }

  /// Signals a program: of a command every process in its leader's process group, as a shell would. The group
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

  /// Remembers by its words a command that ended right after its trial freeze.
  func exempt(_ id: AppID) {
    if let words = program(id)?.command?.words { exempt.add(words, atMost: host.policy.maximumFreezeExempt) }
  }

  func runKeepAlive(_ id: AppID, _ ticket: Ticket) {
    if let program = program(id), let state = program.commandState {
      // The next daemon must not run the keep-alive too soon, nor too late.
      state.keepAliveRan(at: host.seenAt)
      note(program)
    }
    tell(id, .keepAlive(ticket))
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
}
