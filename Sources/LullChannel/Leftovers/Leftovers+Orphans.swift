internal import LullModel
internal import LullSystem

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
    do {
      guard let lock = try Files.lock(lockPath) else { return nil }
      return DescriptorBox(lock)
    } catch {
      return nil
    }
  }

  /// The help of a client that has lost its connection: it waits a short time for the end of both the daemon
  /// and its guard, and then releases what they left. A guard or daemon that lives does that itself, and is
  /// continued where it was stopped. The corresponding C functions are `flock` and `poll`.
  package func lendHand(within nanoseconds: Int64 = 1_000_000_000) {
    let deadline = Clock.boottime() + nanoseconds
    while releaseIfOrphaned() == nil, isRecorded, Clock.boottime() < deadline {
      var none: [PollEntry] = []
      _ = try? Socket.pollMany(&none, timeoutMilliseconds: 10)
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
  static func remove(root: String) -> Bool {
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
