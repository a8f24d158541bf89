import LullSystem
import LullWire

/// How a program is held still: by the freezer of cgroup v2, or by SIGSTOP where no cgroup can be written.
enum Suspender {
  case cgroup(Cgroup)
  /// The process group of a command, or the one process of a program that registered itself.
  case signal(SignalTarget, why: String)

  enum SignalTarget {
    case group(Int32)
    case process(pidfd: Int32, pid: Int32)
  }

  /// How long the state is read again and again before the kernel's notification is waited for, in
  /// nanoseconds: a freeze takes some 7 microseconds, more when an idle processor has to be woken for it,
  /// while the notification of cgroup.events is limited to one per 10 ms.
  static let confirmingTime: Int64 = 200_000

  var word: Vocabulary.Suspender {
    switch self {
    case .cgroup: .cgroup
    case .signal: .signal
    }
  }

  func freeze() throws(SystemError) {
    switch self {
    case .cgroup(let cgroup): try cgroup.freeze()
    case .signal(let target, _): try target.send(Signal.stop)
    }
  }

  func thaw() throws(SystemError) {
    switch self {
    case .cgroup(let cgroup): try cgroup.thaw()
    case .signal(let target, _): try target.send(Signal.continue)
    }
  }

  /// True once the kernel reports that nothing of the program runs.
  func isFrozen() throws(SystemError) -> Bool {
    switch self {
    case .cgroup(let cgroup): return try cgroup.state().frozen
    case .signal(.group(let group), _): return try Process.isStopped(group)
    case .signal(.process(_, let pid), _): return try Process.isStopped(pid)
    }
  }

  /// The processes that it holds still.
  func processes() throws(SystemError) -> [Int32] {
    switch self {
    case .cgroup(let cgroup): try cgroup.allProcesses()
    case .signal(.group(let group), _): try Process.members(ofGroup: group)
    case .signal(.process(_, let pid), _): [pid]
    }
  }

  func kill() throws(SystemError) {
    switch self {
    case .cgroup(let cgroup): try cgroup.killAll()
    case .signal(let target, _): try target.send(Signal.kill)
    }
  }

  /// Confirms a freeze by reading the state again and again for a short while.
  func confirmFrozen() throws(SystemError) -> Bool {
    let limit = Clock.boottime() + Self.confirmingTime
    repeat {
      if try isFrozen() { return true }
      // The program may need this very processor to come to its stop.
      Process.yield()
    } while Clock.boottime() < limit
    return false
  }
}

extension Suspender.SignalTarget {
  func send(_ signal: Int32) throws(SystemError) {
    switch self {
    case .group(let group): try Process.kill(group: group, signal)
    case .process(let pidfd, _): try Process.sendSignal(pidfd, signal)
    }
  }
}
