internal import LullModel
package import LullSystem

/// The processes that a daemon left held still when it died together with its guard, found by the record in
/// the runtime directory.
package struct Leftovers: Sendable {
  package struct Released: Equatable, Sendable {
    /// The names of cgroups that were frozen.
    package var thawed: [String] = []
    package var continued: [Int32] = []
    package var failures: [String] = []

    package var isEmpty: Bool { thawed.isEmpty && continued.isEmpty && failures.isEmpty }

    package init() {}
  }

  /// The end of the name of a program's cgroup. With it no program's name makes the name of one of the
  /// kernel's files.
  package static let leafSuffix = ".program"

  /// The program whose cgroup has this name; the cgroup of a second program of that name has a number behind
  /// it.
  private static func program(ofLeaf name: String) -> String {
    guard let dot = name.lastIndex(of: "."), name[dot...].hasPrefix(leafSuffix) else { return name }
    return String(name[..<dot])
  }

  /// In bytes; a larger file is none of Lull's.
  static let maximumBytes = 1 << 22

  private let directory: String

  package init(directory: String = RuntimeDirectory.path()) { self.directory = directory }

  static func path(in directory: String) -> String { "\(directory)/leftovers" }

  private var path: String { Self.path(in: directory) }

  /// The lock that lull-guard and lulld hold, both by one open file: while it is held, one of them lives.
  package var lockPath: String { "\(directory)/lock" }

  /// Without processes of another boot or container; nil when there is no record.
  package func record() -> LeftoverRecord? {
    guard let bytes = try? Files.readOwn(path, limit: Self.maximumBytes) else { return nil }
    var record = LeftoverRecord(bytes)
    if record.boot == nil || record.boot != BootIdentity.current() {
      (record.boot, record.processes, record.watchers, record.scores) = (nil, [], [], [])
    }
    return record
  }

  /// Thaws and continues what the record names, for the process that holds the lock. With `forgetting`, only
  /// what may still be held stays recorded, and empty cgroups are removed. Without it, record and cgroups
  /// stay as they are, for a daemon that lives.
  @discardableResult
  package func release(forgetting: Bool = true) -> Released {
    var released = Released()
    guard let old = record() else { return released }
    var record = old
    for root in record.roots { Self.release(root: root, &released) }
    record.processes.removeAll { Self.release($0, &released) }
    ScoreRecord.putBack(record.scores)
    record.scores = []
    guard forgetting else { return released }
    record.roots.removeAll(where: Self.remove)
    record.watchers = []
    if record.isEmpty {
      try? Files.unlink(path)
    } else if record != old {
      try? write(record)
    }
    return released
  }

  private func write(_ record: LeftoverRecord) throws(SystemError) {
    try? Files.unlink(path + ".new")
    try Files.replace(path, with: record.bytes)
  }

  /// Begins the record of a daemon whose programs are frozen below `root`; this process is its guard and
  /// holds the lock. The corresponding C functions are `open`, `write` and `rename`.
  package func begin(root: String?) throws(SystemError) {
    var record = record() ?? LeftoverRecord()
    if let root, LeftoverRecord.isRoot(root), !record.roots.contains(root) { record.roots.append(root) }
    record.boot = BootIdentity.current()
    (record.processes, record.scores) = ([], [])
    // Pid 1 of a container: nobody inside can stop it, so nobody has to continue it.
    record.watchers = Identity.pid() == 1 ? [] : [try ProcessIdentity.current(Identity.pid())]
    try write(record)
  }
}

extension Leftovers {
  /// Releases the leftovers when neither the daemon nor its guard lives; nil when one of them lives, or
  /// nothing is recorded. Several calls at once do no harm. The corresponding C function is `flock`.
  package func releaseIfOrphaned() -> Released? {
    guard isRecorded, let lock = takeLock() else { return nil }
    defer { lock.close() }
    return release()
  }

  private var isRecorded: Bool { Files.exists(path) }

  private func takeLock() -> DescriptorBox? {
    guard let lock = try? Files.lock(lockPath) else { return nil }
    return DescriptorBox(lock)
  }

  /// The help of a client that has lost its connection: it waits a short time for the end of both the daemon
  /// and its guard, and then releases what they left. A guard or daemon that lives does that itself, and is
  /// continued where it was stopped. The corresponding C functions are `flock` and `poll`.
  package func lendHand(within nanoseconds: Int64 = 1_000_000_000) {
    let deadline = Clock.boottime() + nanoseconds
    while releaseIfOrphaned() == nil, isRecorded, Clock.boottime() < deadline {
      Process.rest(microseconds: 10_000)
    }
    _ = continueWatchers()
  }

  /// A daemon has been here, and neither it nor its guard lives. The corresponding C function is `flock`.
  package var isOrphaned: Bool {
    guard Files.exists(lockPath), let lock = takeLock() else { return false }
    lock.close()
    return true
  }

  /// The daemon or its guard lives, also one that does not accept yet, or any more. The corresponding C
  /// function is `flock`.
  package var isWatched: Bool { Files.exists(lockPath) && !isOrphaned }

  /// Continues the guard and the daemon where they are stopped, and a process that thaws what they have left;
  /// returns the numbers of those continued. The corresponding C function is `pidfd_send_signal`.
  package func continueWatchers() -> [Int32] {
    var released = Released()
    let taker = Files.lockTaker(lockPath).flatMap { try? ProcessIdentity.current($0) }
    // The daemon first: its guard is not to find it stopped.
    for watcher in (record()?.watchers ?? []).reversed() + [taker].compactMap(\.self)
    where watcher.exists && (try? Process.isStopped(watcher.pid)) == true {
      _ = Self.release(watcher, &released)
    }
    return released.continued
  }

  /// The names of what the record says is held still with nobody to watch it; nothing is changed. The
  /// corresponding C functions are `flock` and `read`.
  package func held() -> [String] {
    guard isOrphaned, let record = record() else { return [] }
    let cgroups = record.roots.flatMap { root in
      ((try? Cgroup.children(of: root)) ?? []).filter { name in
        (try? Cgroup.open(at: "\(root)/\(name)").state().frozen) == true
      }.map(Self.program)
    }
    let stopped = record.processes.filter { $0.exists && (try? Process.isStopped($0.pid)) == true }
    return cgroups + stopped.map { "process \($0.pid)" }
  }

  /// Thaws what is frozen below the directory of a daemon that has ended. The corresponding C function is
  /// `write` of `cgroup.freeze`.
  package static func release(unwatched root: String, _ released: inout Released) {
    release(root: root, &released)
    _ = remove(root: root)
  }

  /// Thaws every cgroup directly below a daemon's directory. Any other directory is left alone. The
  /// corresponding C function is `write` of `cgroup.freeze`.
  package static func release(root: String, _ released: inout Released) {
    guard LeftoverRecord.isRoot(root), let own = try? Cgroup.open(at: root) else { return }
    release(own, named: nil, &released)
    for name in (try? Cgroup.children(of: root)) ?? [] {
      if let cgroup = try? Cgroup.open(at: "\(root)/\(name)") { release(cgroup, named: name, &released) }
    }
  }

  /// Removes the cgroups of a directory that have no processes, and the directory with the last of them; true
  /// when nothing of the directory is left.
  private static func remove(root: String) -> Bool {
    guard LeftoverRecord.isRoot(root), let own = try? Cgroup.open(at: root) else { return true }
    for name in (try? Cgroup.children(of: root)) ?? [] {
      guard let cgroup = try? Cgroup.open(at: "\(root)/\(name)") else { continue }
      if (try? cgroup.state().populated) == false { try? cgroup.remove() }
    }
    return (try? own.remove()) != nil
  }

  private static func release(_ cgroup: Cgroup, named name: String?, _ released: inout Released) {
    let isFrozen = (try? cgroup.state().frozen) == true
    do {
      try cgroup.thaw()
      if isFrozen, let name { released.thawed.append(program(ofLeaf: name)) }
    } catch {
      if isFrozen { released.failures.append("\(cgroup.path): \(error.message)") }
    }
  }

  /// Continues a process; true when the record need not name it any more. A process that runs gets the signal
  /// as well: it may be about to stop.
  static func release(_ process: ProcessIdentity, _ released: inout Released) -> Bool {
    guard let pidfd = process.open() else { return true }
    let isStopped = (try? Process.isStopped(process.pid)) == true
    do {
      try Process.sendSignal(pidfd.raw, Signal.continue)
      if isStopped { released.continued.append(process.pid) }
      return true
    } catch {
      if error.isNoSuchProcess { return true }
      released.failures.append("process \(process.pid): \(error.message)")
      return false
    }
  }
}

extension Leftovers.Released {
  package var text: String {
    let names = thawed + continued.map { "process \($0)" }
    let words = "a daemon that was killed had left asleep and now runs: "
    let done = names.isEmpty ? nil : words + Self.list(names)
    let failed = failures.isEmpty ? nil : "still held: \(Self.list(failures))"
    return [done, failed].compactMap(\.self).joined(separator: "; ")
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}
