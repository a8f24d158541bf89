import LullSystem

/// What the programs share that are stopped by signals: the list of all processes, who becomes the parent of
/// orphans, and the record of what may be stopped.
final class ProcessTable {
  /// How old a list may be that is only shown, in nanoseconds.
  private static let maximumAge: Int64 = 100_000_000

  private var entries: [ProcessEntry] = []
  private var readAt: Int64 = .min
  private var record: LeftoverFile?
  /// The parent of every orphan that a command leaves: lull-guard, or this process once that was replaced;
  /// nil when it is somebody else.
  private(set) var reaper: Int32?
  /// The guard that this process started in place of one that died.
  private var guardian: Int32?
  /// Whether a process is the first of a program, in the cgroup of one, or lull-audio.
  var isPlaced: (Int32) -> Bool = { _ in false }

  private let directory: String

  /// For a daemon with this runtime directory.
  init(directory: String = RuntimeDirectory.path()) {
    self.directory = directory
    reaper = try? Process.parentPid(of: Identity.pid())
    record = try? LeftoverFile(directory: directory)
    if let own = try? ProcessIdentity.current(Identity.pid()) { try? record?.note(watcher: own) }
  }

  /// Notes what may be stopped from now on. ENOENT: there is no record to note it in.
  func note(_ process: ProcessIdentity) throws(SystemError) {
    if record == nil { record = try LeftoverFile(directory: directory) }
    try record?.note(process: process)
  }

  /// A new guard, which is no ancestor of the commands: the orphans of those to come are taken by this
  /// process where they are not in cgroups.
  func guardReplaced(by pid: Int32, takesOrphans: Bool) {
    reaper = takesOrphans && (try? Process.becomeSubreaper()) != nil ? Identity.pid() : nil
    self.guardian = pid
    if let guardian = try? ProcessIdentity.current(pid) { try? record?.note(watcher: guardian) }
  }

  /// Whether a process can be the orphan of a command: its parent is who takes them, or this process, to
  /// which a command can give a child of its own (CLONE_PARENT).
  func isOrphan(_ entry: ProcessEntry) -> Bool {
    let own = Identity.pid()
    guard entry.parent == reaper || entry.parent == own, entry.pid != own, entry.pid != guardian else {
      return false
    }
    return !entry.isZombie && !isPlaced(entry.pid)
  }

  /// Every process, as it is now.
  func current() throws(SystemError) -> [ProcessEntry] {
    entries = try Process.all()
    readAt = Clock.boottime()
    if reaper == Identity.pid() { reap() }
    return entries
  }

  /// Every process, as it was a moment ago.
  func recent() throws(SystemError) -> [ProcessEntry] {
    if readAt != .min, Clock.boottime() - readAt < Self.maximumAge { return entries }
    return try current()
  }

  /// Orphans that have ended.
  private func reap() {
    for entry in entries where entry.isZombie && entry.parent == reaper && !isPlaced(entry.pid) {
      guard let pidfd = try? Process.pidfdOpen(entry.pid) else { continue }
      _ = try? Process.waitStatus(pidfd.raw)
    }
  }
}
