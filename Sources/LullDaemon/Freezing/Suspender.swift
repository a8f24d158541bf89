import LullSystem
import LullWire

/// The reason why no cgroup holds a program.
struct CgroupLack {
  let cause: NoCgroup
  var detail: String?

  var text: String { detail.map { "\(cause.rawValue): \($0)" } ?? cause.rawValue }
}

/// Goes through the listed processes, each once. One may start another meanwhile, so they are listed again
/// until all were seen.
func forEachProcess(listing: () -> [Int32], _ body: (Int32) -> Void) {
  var seen: Set<Int32> = []
  for _ in 0..<8 {
    let new = listing().filter { seen.insert($0).inserted }
    guard !new.isEmpty else { return }
    for pid in new { body(pid) }
  }
}

/// The means by which a program is held still: the freezer of cgroup v2, or SIGSTOP where no cgroup can be
/// written.
enum Suspender {
  case cgroup(Cgroup)
  case signal(ProcessTree, CgroupLack?)

  /// The time in which the state is read again and again before the kernel's notification is awaited, in
  /// nanoseconds. A freeze takes some 7 microseconds, more when an idle processor has to be woken for it. The
  /// notification of cgroup.events is limited to one per 10 ms.
  private static let confirmingTime: Int64 = 200_000

  var word: Vocabulary.Suspender {
    switch self {
    case .cgroup: .cgroup
    case .signal: .signal
    }
  }

  var cgroupPath: String? { if case .cgroup(let cgroup) = self { cgroup.path } else { nil } }

  /// The program is only watched.
  var isDryRun: Bool {
    guard case .signal(let tree, _) = self else { return false }
    return tree.isDryRun
  }

  var stopsBySignal: Bool {
    guard case .signal(let tree, _) = self else { return false }
    return tree.members.contains(where: \.isStopped)
  }

  func freeze() throws(StopError) {
    switch self {
    case .cgroup(let cgroup): do { try cgroup.freeze() } catch { throw .system(error) }
    case .signal(let tree, _): try tree.stop()
    }
  }

  func thaw() throws(SystemError) {
    switch self {
    case .cgroup(let cgroup): try cgroup.thaw()
    case .signal(let tree, _): try tree.proceed()
    }
  }

  func isFrozen() throws(StopError) -> Bool {
    switch self {
    case .cgroup(let cgroup): do { return try cgroup.state().frozen } catch { throw .system(error) }
    case .signal(let tree, _): return try tree.isStopped()
    }
  }

  func processes() throws(SystemError) -> [Int32] {
    switch self {
    case .cgroup(let cgroup): try cgroup.allProcesses()
    case .signal(let tree, _): try tree.processes()
    }
  }

  func kill() throws(SystemError) {
    switch self {
    case .cgroup(let cgroup): try cgroup.killAll()
    case .signal(let tree, _): try tree.kill()
    }
  }

  func confirmFrozen() throws(StopError) -> Bool {
    let limit = Clock.boottime() + Self.confirmingTime
    repeat {
      if try isFrozen() { return true }
      // The program may need this very processor to come to its stop.
      Process.yield()
    } while Clock.boottime() < limit
    return false
  }
}
