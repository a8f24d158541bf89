internal import CLinux

/// What waits of signals for a process, and what it does with them.
public struct ProcessSignals: Equatable, Sendable {
  /// A signal waits that some thread will act on as soon as it runs: one that is not ignored, and not blocked
  /// unless the thread stands in a call that takes it.
  public internal(set) var isDue = false
  /// A signal waits that is blocked: only a signalfd tells of it.
  public internal(set) var isDueBlocked = false
  /// Some thread blocks a signal.
  public internal(set) var areBlocked = false
  /// It acts on SIGCHLD, by a handler or a signalfd.
  public internal(set) var hearsChildren = false
}

extension Process {
  /// The signals that wait for a frozen process or for one of its `threads`. Nothing when it has ended.
  /// The corresponding C function is `read` of `/proc/PID/task/TID/status`.
  public static func signals(of pid: Int32, threads: [Int32]) throws(SystemError) -> ProcessSignals {
    var all = ProcessSignals()
    for thread in threads {
      var one = clinux_signals()
      do {
        try systemCall("/proc/\(pid)/task/\(thread)/status") {
          unsafe clinux_thread_signals(pid, thread, &one)
        }
      } catch {
        guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
        continue
      }
      try all.add(one, pid, thread)
      // None waits for any thread of any process of its user.
      if one.queued == 0, one.pending == 0 { break }
    }
    return all
  }
}

extension ProcessSignals {
  fileprivate mutating func add(_ one: clinux_signals, _ pid: Int32, _ thread: Int32) throws(SystemError) {
    let pending = one.pending & ~one.ignored
    if pending & ~one.blocked != 0 { isDue = true }
    if pending & one.blocked != 0 {
      isDueBlocked = true
      if try pending & Process.awaited(pid, thread) != 0 { isDue = true }
    }
    if one.blocked != 0 { areBlocked = true }
    if (one.caught | one.blocked) & (1 << (UInt64(Signal.child) - 1)) != 0 { hearsChildren = true }
  }
}
