import LullSystem
import LullWire

/// The means by which programs are held still: their cgroups or, where no cgroup can be written, the list of
/// the processes that are stopped by signals. Only this owner makes and removes cgroups.
final class Suspenders {
  /// The means for a command that is about to be started.
  enum Start {
    case cgroup(Cgroup)
    /// The word in the environment of the command by which its orphans are known.
    case tag(String)

    var cgroup: Cgroup? { if case .cgroup(let cgroup) = self { cgroup } else { nil } }
  }

  private let place: CgroupPlace
  private let ownCgroup: OwnCgroup
  private let processes: ProcessTable
  private let log: any FailureLog

  /// `root` is the directory of the cgroups; nil for none.
  init(root: String?, _ log: any FailureLog) throws(SystemError) {
    self.log = log
    place = CgroupPlace.find(root: root, log)
    ownCgroup = try OwnCgroup()
    processes = ProcessTable(in: place, log)
  }

  /// The directory of the cgroups; nil where no cgroup can be written.
  var root: String? { place.root }
  /// The reason why there is no such directory.
  var remark: String? { place.remark }
  var word: Vocabulary.Suspender { place.root == nil ? .signal : .cgroup }

  // MARK: Programs come

  /// The suspender of a program that registers itself: a cgroup of its own, the one that it was in before the
  /// daemon was restarted, or signals.
  func suspender(registered name: String, _ pid: Int32, _ pidfd: DescriptorBox) -> Suspender {
    if let path = cgroupPath(of: pid), let cgroup = place.existing(path) { return .cgroup(cgroup) }
    do {
      guard let cgroup = try place.make(for: name) else {
        return suspender(outside: pid, pidfd, why: place.remark ?? "")
      }
      do {
        try place.move(pid, pidfd, to: cgroup)
        return .cgroup(cgroup)
      } catch {
        place.retire(cgroup)
        throw error
      }
    } catch {
      return suspender(outside: pid, pidfd, why: "cannot be moved into a cgroup: \(error)")
    }
  }

  /// The suspender of a program that is stopped by signals: its process and the descendants of it.
  func suspender(outside pid: Int32, _ pidfd: DescriptorBox, why: String) -> Suspender {
    .signal(ProcessTree(leader: pid, pidfd: pidfd, orphans: .outside, table: processes), why: why)
  }

  /// Prepares the means for a command: its cgroup, or a word in its environment.
  func prepare(_ block: inout CommandBlock, name: String) -> Start {
    if let cgroup = log.ignoring([], try place.make(for: name)) ?? nil { return .cgroup(cgroup) }
    let tag = "\(Identity.pid())-\(Clock.boottime())"
    block.set(ProcessTree.tagName, to: tag)
    return .tag(tag)
  }

  /// The suspender of a command that was started.
  func suspender(command pid: Int32, _ pidfd: DescriptorBox, _ start: Start) -> Suspender {
    switch start {
    case .cgroup(let cgroup): return .cgroup(cgroup)
    case .tag(let tag):
      let orphans: ProcessTree.Orphans = processes.reaper == nil ? .lost : .tagged(tag)
      let tree = ProcessTree(leader: pid, pidfd: pidfd, orphans: orphans, table: processes)
      return .signal(tree, why: place.remark ?? "no cgroup")
    }
  }

  /// Takes back the means for a command that could not be started.
  func abandon(_ start: Start) { if let cgroup = start.cgroup { place.retire(cgroup) } }

  /// The suspender of a command that ran under the daemon before this one. A foreign command is no child of
  /// this daemon or its guard.
  func suspender(restored pid: Int32, _ pidfd: DescriptorBox, cgroup path: String?, isForeign: Bool)
    -> Suspender
  {
    if let path, let cgroup = log.ignoring(.removed, try Cgroup.open(at: path)) { return .cgroup(cgroup) }
    let tag = Process.environment(ProcessTree.tagName, of: pid)
    let tree = ProcessTree(
      leader: pid, pidfd: pidfd, orphans: isForeign ? .lost : .tagged(tag), table: processes)
    return .signal(tree, why: place.remark ?? "")
  }

  // MARK: Programs go

  /// Lets a program go on that is not managed any more: its processes run, outside every cgroup of Lull.
  func dismiss(_ suspender: Suspender) {
    switch suspender {
    case .cgroup(let cgroup): place.retire(cgroup)
    case .signal(let tree, _):
      log.ignoring(.ended, try tree.proceed())
      processes.disown(tree.leader)
    }
  }

  // MARK: Cgroups

  /// The path of the cgroup, as /proc/PID/cgroup says it; nil without a cgroup.
  func path(of suspender: Suspender) -> String? {
    guard case .cgroup(let cgroup) = suspender else { return nil }
    return place.relative(cgroup.path)
  }

  /// The path of a process's cgroup; nil when the process has ended, or where there are no cgroups.
  func cgroupPath(of pid: Int32) -> String? {
    log.ignoring(.gone, try Process.cgroupPath(of: pid))
  }

  /// True when somebody has moved this daemon into the cgroup at `path`: nobody would thaw the two.
  func holdsDaemon(at path: String?) throws(SystemError) -> Bool {
    guard let path else { return false }
    let own = try ownCgroup.path()
    return own == path || own.hasPrefix(path + "/")
  }

  // MARK: Processes of Lull

  /// Takes note of a process of Lull that this daemon started: it is no orphan of a command.
  func note(helper pid: Int32) { processes.own(pid) }

  /// Takes note of a new guard, which is no ancestor of the commands.
  func guardReplaced(by pid: Int32) {
    processes.guardReplaced(by: pid, takesOrphans: place.root == nil)
  }
}
