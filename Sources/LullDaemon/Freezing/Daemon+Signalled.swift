import LullEngine
import LullSystem

// Programs that are stopped by signals, because no cgroup can be written.
extension Daemon {
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
