package import LullSystem

/// The signals that wait for a process, and its way with signals.
package struct ProcessSignals: Equatable, Sendable {
  /// True when a signal waits on which some thread will act as soon as it runs: a signal that is not ignored,
  /// and not blocked unless the thread stands in a call that takes it.
  package internal(set) var isDue = false
  /// True when a blocked signal waits: only a signalfd tells of it.
  package internal(set) var isDueBlocked = false
  /// True when some thread blocks a signal.
  package internal(set) var areBlocked = false
  /// True when the process acts on SIGCHLD, by a handler or a signalfd.
  package internal(set) var hearsChildren = false
}

extension Process {
  /// The signals that wait for a frozen process or for one of its `threads`. None when the process has ended.
  /// The corresponding C function is `read` of `/proc/PID/task/TID/status`.
  package static func signals(of pid: Int32, threads: [Int32]) throws(SystemError) -> ProcessSignals {
    var all = ProcessSignals()
    for thread in threads {
      let one: ThreadSignals
      do {
        one = try ThreadSignals(of: thread, in: pid)
      } catch {
        guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
        continue
      }
      try all.add(one, pid: pid, thread: thread)
      // No signal waits for any thread of any process of this user.
      if one.queued == 0, one.pending == 0 { break }
    }
    return all
  }

  /// The signals that a thread takes in its call. The kernel blocks them again as soon as the call is cut
  /// off.
  fileprivate static func awaited(_ pid: Int32, _ thread: Int32) throws(SystemError) -> UInt64 {
    let task = try Files.openDirectory("/proc/\(pid)/task")
    var room = ShortText()
    guard let call = try ThreadCall(ofFrozen: thread, in: task.raw, room: &room),
      call.wait.kind == .takesSignal
    else { return 0 }
    var set: UInt64 = 0
    return try call.read(call.argument(0), of: thread, into: &set) ? set : 0
  }
}

extension ProcessSignals {
  fileprivate mutating func add(_ one: ThreadSignals, pid: Int32, thread: Int32) throws(SystemError) {
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
