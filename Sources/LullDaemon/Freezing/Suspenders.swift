import LullChannel
import LullSystem
import LullWire

/// The means by which programs are held still: their cgroups or, where no cgroup can be written, the list of
/// the processes that are stopped by signals. Only this owner makes and removes cgroups.
final class Suspenders {
  private let place: CgroupPlace
  private let ownCgroup: OwnCgroup
  private let processes: ProcessTable
  private let log: any FailureLog

  init(root: String?, _ log: any FailureLog) throws(SystemError) {
    self.log = log
    place = CgroupPlace.find(root: root, log)
    ownCgroup = try OwnCgroup()
    processes = ProcessTable(log)
  }

  var root: String? { place.root }
  /// Nil where cgroups can be made.
  var lack: CgroupLack? { place.lack }
  var word: Vocabulary.Suspender { place.root == nil ? .signal : .cgroup }

  // MARK: Programs come

  /// The program gets a cgroup of its own, that in which it was before the daemon was restarted, or signals.
  func suspender(registered name: String, _ pid: Int32, _ pidfd: DescriptorBox) -> Suspender {
    if let path = cgroupPath(of: pid), let cgroup = place.existing(path) { return .cgroup(cgroup) }
    do {
      guard let cgroup = try place.make(for: name) else {
        return suspender(outside: pid, pidfd, place.lack)
      }
      do {
        try place.move(pid, pidfd, to: cgroup)
        return .cgroup(cgroup)
      } catch {
        place.retire(cgroup)
        throw error
      }
    } catch {
      return suspender(outside: pid, pidfd, CgroupLack(cause: .notMoved, detail: "\(error)"))
    }
  }

  /// The program is stopped by signals: its process and the descendants of it.
  func suspender(outside pid: Int32, _ pidfd: DescriptorBox, _ lack: CgroupLack? = nil) -> Suspender {
    .signal(ProcessTree(leader: pid, pidfd: pidfd, orphans: .outside, table: processes), lack)
  }

  /// The process and its descendants are watched, and nothing holds them still.
  func suspender(dryRunOf pid: Int32, _ pidfd: DescriptorBox) -> Suspender {
    .signal(
      ProcessTree(leader: pid, pidfd: pidfd, orphans: .outside, table: processes, isDryRun: true), nil)
  }

  /// The processes that `members` lists are moved into a cgroup below theirs, until there are no others: one
  /// may start another while it is moved. Without rights there the program is stopped by signals.
  func suspender(
    adopted name: String, pid: Int32, pidfd: DescriptorBox, home: String,
    members: () throws(SystemError) -> [Int32]
  ) throws(SystemError) -> Suspender {
    let cgroup: Cgroup
    do {
      cgroup = try place.make(for: name, below: home) { (directory) throws(SystemError) in
        try processes.note(root: directory)
      }
    } catch {
      return suspender(outside: pid, pidfd, CgroupLack(cause: .notMoved, detail: "\(error)"))
    }
    do {
      try place.move(pid, pidfd, to: cgroup)
      for _ in 0..<Self.passes {
        let rest = try members()
        if rest.isEmpty { break }
        for pid in rest { log.ignoring(.ended, try cgroup.move(pid)) }
      }
      return .cgroup(cgroup)
    } catch {
      place.retire(cgroup)
      if error.isNoSuchProcess { throw error }
      return suspender(outside: pid, pidfd, CgroupLack(cause: .notMoved, detail: "\(error)"))
    }
  }

  private static var passes: Int { 16 }

  /// The processes of the cgroup at `path` of /proc/PID/cgroup, without those below.
  func processes(at path: String) throws(SystemError) -> [Int32] { try place.processes(at: path) }

  /// Somebody holds still what is in the cgroup at `path` of /proc/PID/cgroup.
  func isFrozen(at path: String) -> Bool { place.isFrozen(at: path) }

  /// The process and its descendants.
  func descendants(of pid: Int32, _ pidfd: DescriptorBox) throws(SystemError) -> [Int32] {
    let tree = ProcessTree(leader: pid, pidfd: pidfd, orphans: .outside, table: processes)
    try tree.update()
    return tree.members.map(\.pid)
  }

  func makeCgroup(for name: String) -> Cgroup? {
    log.ignoring([], try place.make(for: name)) ?? nil
  }

  func suspender(command pid: Int32, _ pidfd: DescriptorBox, of parent: Int32, cgroup: Cgroup?) -> Suspender {
    guard let cgroup else {
      return suspender(child: pid, pidfd, of: parent, place.lack)
    }
    if cgroupPath(of: pid) == place.relative(cgroup.path) { return .cgroup(cgroup) }
    retire(cgroup)
    return suspender(child: pid, pidfd, of: parent, CgroupLack(cause: .notLet, detail: cgroup.path))
  }

  private func suspender(
    child pid: Int32, _ pidfd: DescriptorBox, of parent: Int32, _ lack: CgroupLack?
  ) -> Suspender {
    let reaper = log.ignoring(.gone, try ProcessIdentity.current(parent))
    let orphans = reaper.map { ProcessTree.Orphans.children(of: $0) } ?? .lost
    return .signal(ProcessTree(leader: pid, pidfd: pidfd, orphans: orphans, table: processes), lack)
  }

  func suspender(restored pid: Int32, _ pidfd: DescriptorBox, cgroup path: String?) -> Suspender {
    if let path, let cgroup = log.ignoring(.removed, try Cgroup.open(at: path)) { return .cgroup(cgroup) }
    let parent = log.ignoring(.gone, try Process.parentPid(of: pid)) ?? 1
    return suspender(child: pid, pidfd, of: parent, place.lack)
  }

  // MARK: Programs go

  /// The processes of a program that is not managed any more run on, outside every cgroup of Lull.
  func dismiss(_ suspender: Suspender) {
    switch suspender {
    case .cgroup(let cgroup): place.retire(cgroup)
    case .signal(let tree, _):
      log.ignoring(.ended, try tree.proceed())
    }
  }

  func retire(_ cgroup: Cgroup) { place.retire(cgroup) }

  // MARK: Cgroups

  /// As /proc/PID/cgroup says it.
  func path(of suspender: Suspender) -> String? {
    suspender.cgroupPath.map(place.relative)
  }

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

  /// A process whose `oom_score_adj` may be raised: whoever lets the program go puts it back.
  func note(_ score: ScoreRecord) throws(SystemError) { try processes.note(score) }

  /// `lull` finds the new guard in the record of leftovers.
  func guardReplaced(by pid: Int32) { processes.guardReplaced(by: pid) }
}
