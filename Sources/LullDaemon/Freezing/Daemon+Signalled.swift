import LullChannel
import LullEngine
import LullSystem

// Programs that are stopped by signals, because no cgroup can be written.
extension Daemon {
  /// The orphans of running commands have gone to init.
  func loseOrphans() {
    for program in programs {
      if case .signal(let tree, _) = program.suspender { tree.loseOrphans() }
    }
  }

  /// The program to which a process belongs, as far as is known.
  func signalled(_ pid: Int32) -> Program? {
    var tag: String??
    for program in programs where !program.isUnmanaged {
      guard case .signal(let tree, _) = program.suspender else { continue }
      if tree.contains(pid) { return program }
      guard case .tagged(let own?) = tree.orphans else { continue }
      let found = tag ?? Process.environment(ProcessTree.tagName, of: pid)
      if found == own { return program }
      tag = found
    }
    return nil
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

  /// Signals each process of a program that still belongs to its process group; all of them when the leader
  /// has ended.
  func sendToEach(_ signal: Int32, of program: Program) throws(SystemError) {
    for pid in try program.suspender.processes() {
      guard let pidfd = journal.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(pid))),
        let entry = journal.ignoring(.gone, try ProcessEntry(of: pid)),
        program.leaderStatus != nil || entry.group == program.pid
      else { continue }
      journal.ignoring(.ended, try Process.sendSignal(pidfd.raw, signal))
    }
  }
}
