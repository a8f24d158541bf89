import LullEngine
import LullSystem

// Programs that are stopped by signals, because no cgroup can be written.
extension Daemon {
  /// A program that registered itself: its process and the descendants of it.
  func signals(_ client: Client, why: String) -> Suspender {
    .signal(ProcessTree(leader: client.pid, client.pidfd, .outside, processes), why: why)
  }

  func signals(command pid: Int32, _ pidfd: DescriptorBox, _ tag: String?) -> Suspender {
    let orphans: ProcessTree.Orphans = processes.reaper == nil ? .lost : .tagged(tag)
    return .signal(ProcessTree(leader: pid, pidfd, orphans, processes), why: place.remark ?? "no cgroup")
  }

  /// A command that ran under the daemon before this one. A foreign one is nobody's child here.
  func signals(restored pid: Int32, _ pidfd: DescriptorBox, isForeign: Bool) -> Suspender {
    let tag = Process.environment(ProcessTree.tagName, of: pid)
    let tree = ProcessTree(leader: pid, pidfd, isForeign ? .lost : .tagged(tag), processes)
    return .signal(tree, why: place.remark ?? "")
  }

  /// Marks the environment of a command, so that its orphans are known.
  func tag(_ block: inout CommandBlock) -> String {
    let tag = "\(Identity.pid())-\(Clock.boottime())"
    block.set(ProcessTree.tagName, to: tag)
    return tag
  }

  /// The orphans of commands that run already have gone to init.
  func loseOrphans() {
    for case let program? in programs {
      guard case .signal(let tree, _) = program.suspender, case .tagged = tree.orphans else { continue }
      tree.orphans = .lost
    }
  }

  /// Whether a process is the first of a program, in the cgroup of one, or lull-audio.
  func isPlaced(_ pid: Int32) -> Bool {
    if pid == sound?.pid { return true }
    if programs.contains(where: { $0?.pid == pid && $0?.leaderStatus == nil }) { return true }
    guard place.root != nil, let path = try? Process.cgroupPath(of: pid) else { return false }
    return place.existing(path) != nil
  }

  /// The program to which a process belongs as far as is known.
  func signalled(_ pid: Int32) -> Program? {
    var tag: String??
    for case let program? in programs where !program.isGuest {
      guard case .signal(let tree, _) = program.suspender else { continue }
      if tree.contains(pid) { return program }
      guard case .tagged(let own?) = tree.orphans else { continue }
      let found = tag ?? Process.environment(ProcessTree.tagName, of: pid)
      if found == own { return program }
      tag = found
    }
    return nil
  }

  /// Children and double forks belong to the program; it ends with the last of them.
  func checkLastProcess(_ program: Program, _ tree: ProcessTree) {
    if !program.isGuest { try? tree.update() }
    for member in tree.members where !member.isAwaited {
      let (token, interest) = (program.token(.member).raw, Interest([.readable, .oneShot]))
      member.isAwaited = (try? epoll.add(member.pidfd.raw, token: token, interest: interest)) != nil
    }
    guard program.isGuest || !tree.members.contains(where: \.isAwaited) else { return }
    program.waitsForLastProcess = false
    feed(.exited(program.id, program.leaderStatus ?? .unknown))
  }

  func memberEnded(_ token: Token) {
    guard let program = program(token), program.waitsForLastProcess,
      case .signal(let tree, _) = program.suspender
    else { return }
    checkLastProcess(program, tree)
    if program.waitsForLastProcess { feed(.childEnded(program.id)) }
  }

  /// Signals each process of a program that still belongs to its process group; all of them when the first
  /// one has ended.
  func sendToEach(_ signal: Int32, of program: Program) throws(SystemError) {
    for pid in try program.suspender.processes() {
      guard let pidfd = try? Process.pidfdOpen(pid), let entry = try? ProcessEntry(of: pid),
        program.leaderStatus != nil || entry.group == program.pid
      else { continue }
      try? Process.sendSignal(pidfd.raw, signal)
    }
  }
}
