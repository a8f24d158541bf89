import LullEngine
import LullSystem

extension LifecycleFeature {
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

  func ended(_ program: Program, _ status: ExitStatus) {
    if program.isCommand, case .exited = status, (try? Process.hasNotExecuted(program.pid)) == true {
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
  func checkLastProcess(_ program: Program, _ tree: ProcessTree) {
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

  /// Signals each process of a program that is in the process group of its leader; all of them when the
  /// leader has ended.
  func sendToEach(_ signal: Int32, of program: Program) throws(SystemError) {
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
