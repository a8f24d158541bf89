import LullChannel
import LullSystem

/// The shared data of the programs that are stopped by signals: the list of all processes, the parent of
/// their orphans, and the record of the processes that may be stopped.
final class ProcessTable {
  /// The greatest age of a list that is only shown, in nanoseconds.
  private static let maximumAge: Int64 = 100_000_000

  private var entries: [ProcessEntry] = []
  private var readAt: Int64 = .min
  private var record: LeftoverFile?
  /// The parent of every orphan that a command leaves: lull-guard, or this process after the guard was
  /// replaced; nil when it is neither.
  private(set) var reaper: Int32?
  /// Processes that have an owner in this daemon: the first process of each program that is stopped by
  /// signals, lull-audio, and a guard that this process started.
  private var owned: Set<ProcessIdentity> = []

  private let place: CgroupPlace
  let log: any FailureLog
  private let directory: String

  /// A table for a daemon with this runtime directory, whose programs' cgroups are in `place`.
  init(directory: String = RuntimeDirectory.path(), in place: CgroupPlace, _ log: any FailureLog) {
    (self.directory, self.place, self.log) = (directory, place, log)
    reaper = log.ignoring([], try Process.parentPid(of: Identity.pid()))
    record = log.ignoring(.removed, try LeftoverFile(directory: directory))
    if let own = log.ignoring([], try ProcessIdentity.current(Identity.pid())) {
      log.ignoring(.removed, try record?.note(watcher: own))
    }
  }

  // MARK: Owned processes

  /// Takes note of a process that is no orphan of a command.
  func own(_ pid: Int32) {
    if let process = log.ignoring(.gone, try ProcessIdentity.current(pid)) { own(process) }
  }

  func own(_ process: ProcessIdentity) { owned.insert(process) }

  /// Forgets the first process of a program that is not managed any more.
  func disown(_ pid: Int32) { owned = owned.filter { $0.pid != pid } }

  /// Notes a process that may be stopped from now on. ENOENT: there is no record to note it in.
  func note(_ process: ProcessIdentity) throws(SystemError) {
    if record == nil { record = try LeftoverFile(directory: directory) }
    try record?.note(process: process)
  }

  /// Takes note of a new guard, which is no ancestor of the commands. Where the commands are not in cgroups,
  /// this process takes the orphans of those to come.
  func guardReplaced(by pid: Int32, takesOrphans: Bool) {
    let isReaper = takesOrphans && log.ignoring([], try Process.becomeSubreaper()) != nil
    reaper = isReaper ? Identity.pid() : nil
    guard let guardian = log.ignoring(.ended, try ProcessIdentity.current(pid)) else { return }
    own(guardian)
    log.ignoring(.removed, try record?.note(watcher: guardian))
  }

  /// True when a process can be the orphan of a command. Its parent is the reaper, or this process, to which
  /// a command can give a child of its own (CLONE_PARENT).
  func isOrphan(_ entry: ProcessEntry) -> Bool {
    let own = Identity.pid()
    guard entry.parent == reaper || entry.parent == own, entry.pid != own else { return false }
    return !entry.isZombie && !isPlaced(entry)
  }

  /// True for an owned process, and for a process in the cgroup of a program.
  private func isPlaced(_ entry: ProcessEntry) -> Bool {
    guard !owned.contains(entry.identity) else { return true }
    guard place.root != nil,
      let path = log.ignoring(.gone, try Process.cgroupPath(of: entry.pid))
    else { return false }
    return place.existing(path) != nil
  }

  // MARK: Every process

  /// Every process, as it is now.
  func current() throws(SystemError) -> [ProcessEntry] {
    entries = try Process.all()
    owned.formIntersection(entries.map(\.identity))
    readAt = Clock.boottime()
    if reaper == Identity.pid() { reap() }
    return entries
  }

  /// Every process, as it was a moment ago.
  func recent() throws(SystemError) -> [ProcessEntry] {
    if readAt != .min, Clock.boottime() - readAt < Self.maximumAge { return entries }
    return try current()
  }

  /// Takes the status of orphans that have ended.
  private func reap() {
    for entry in entries where entry.isZombie && entry.parent == reaper && !isPlaced(entry) {
      guard let pidfd = log.ignoring(.ended, DescriptorBox(try Process.pidfdOpen(entry.pid))) else {
        continue
      }
      log.ignoring(.ended, try Process.waitStatus(pidfd.raw))
    }
  }
}
