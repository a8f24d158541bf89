import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// The leader of a program ended.
  func processEnded(_ token: Token) {
    guard let program = program(token), program.leaderStatus == nil else { return }
    finishExec(program)
    if program.isRestored, guardian != nil { return }
    ended(
      program,
      (try? Process.waitStatus(program.pidfd.raw)).flatMap { $0.map(LullEngine.ExitStatus.init) } ?? .unknown)
  }

  func ended(_ program: Program, _ status: LullEngine.ExitStatus) {
    program.leaderStatus = status
    program.leavesAt = nil
    for watcher in program.watchers { send(exited(program, status), to: watcher) }
    if program.isCommand, program.watchers.isEmpty { remember(program, status) }
    program.waitsForLastProcess = true
    switch program.suspender {
    case .cgroup(let cgroup): checkLastProcess(program, cgroup)
    case .signal(let tree, _): checkLastProcess(program, tree)
    }
    // Others of it sleep on: what the leader had open must be closed, and its children hear of its end.
    if program.waitsForLastProcess { feed(.childEnded(program.id)) }
  }

  /// A command that ends while the daemon is restarted is gone before its `lull run` can attach again.
  private func remember(_ program: Program, _ status: LullEngine.ExitStatus) {
    unheardEnds.removeAll { $0.name == program.name }
    if unheardEnds.count == Self.maximumUnheardEnds { unheardEnds.removeFirst() }
    unheardEnds.append(UnheardEnd(name: program.name, pid: program.pid, notice: exited(program, status)))
  }

  /// Children and double forks stay in the cgroup; the program ends with the last of them.
  func checkLastProcess(_ program: Program, _ cgroup: Cgroup) {
    // Watched first: a change between the look and the watch would be missed otherwise.
    try? watchEvents(of: program, cgroup)
    guard (try? cgroup.state().populated) != true else { return }
    program.waitsForLastProcess = false
    try? epoll.remove(cgroup.events)
    feed(.exited(program.id, program.leaderStatus ?? .unknown))
  }

  func exited(_ program: Program, _ status: LullEngine.ExitStatus) -> Message {
    let message = Message(event: .exited).adding(.name, program.name)
    switch status {
    case .exited(let code): return message.adding(.status, code)
    case .signaled(let number): return message.adding(.signal, number)
    case .unknown: return message
    }
  }

  func signalsArrived() {
    while let (signal, _) = try? signals.next() {
      guard signal != Signal.child else {
        childrenChanged()
        continue
      }
      journal.note(at: Clock.realtime(), program: nil, what: "signal", detail: Signal.name(of: signal))
      isStopping = true
    }
  }
}

extension LullEngine.ExitStatus {
  init(_ status: LullSystem.ExitStatus) {
    switch status {
    case .exited(let code): self = .exited(code)
    case .signaled(let number): self = .signaled(number)
    }
  }
}
