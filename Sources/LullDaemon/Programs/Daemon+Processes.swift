import LullEngine
import LullSystem

extension Daemon {
  func processEnded(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil else { return }
    let status = endStatus(of: program)
    // A parent that is connected tells the status that this process may not read.
    guard status != nil || !hasParentHere(program) else { return }
    ended(program, status ?? .unknown)
  }

  /// How a leader has ended: the kernel tells it until its parent has taken the status, and from Linux 6.15
  /// on afterwards. Nil when it does not tell.
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

  func hasEnded(_ program: Program) -> Bool {
    let readiness = journal.ignoring(
      [], try Socket.poll(program.pidfd.raw, .readable, timeoutMilliseconds: 0))
    return readiness?.isEmpty == false
  }

  func ended(_ program: Program, _ status: ExitStatus) {
    if program.isCommand, case .exited = status, (try? Process.hasNotExecuted(program.pid)) == true {
      program.wasNotStarted()
    }
    program.leaderEnded(status)
    keepLinesAfterCrash(of: program)
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

  func signalsArrived() {
    while let news = signals.next() {
      switch news {
      case .childChanged: childrenChanged()
      case .stop(let name): journal.note(program: nil, what: "signal", detail: name)
      }
    }
  }
}
