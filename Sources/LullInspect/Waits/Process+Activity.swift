package import LullSystem

/// The activity of a running process, as its system calls tell it.
package enum ProcessActivity: Equatable, Sendable {
  /// Each thread was seen in a call that waits.
  case waits
  /// A thread runs, or is in a call that does not wait.
  case works(thread: Int32)
  /// A thread is in the middle of a call that a freeze would cut short.
  case moves(thread: Int32, call: String)
  /// The process has 32-bit words, and the numbers of its system calls mean others.
  case narrow
}

extension Process {
  /// Looks at a running process without disturbing it. A call that a freeze would cut short counts for more
  /// than other work. Threads for which there is no time before `limit` (CLOCK_BOOTTIME) are left out. A
  /// process that has ended waits. EACCES or EPERM (`isNotPermitted`): no ptrace right over it. The
  /// corresponding C function is `read` of `/proc/PID/task/TID/syscall`.
  package static func activity(of pid: Int32, until limit: Int64) throws(SystemError) -> ProcessActivity {
    var found = ProcessActivity.waits
    do {
      var (room, count) = (ShortText(), 0)
      var threads = try NumberedEntries("/proc/\(pid)/task")
      while let thread = threads.next() {
        count += 1
        if count % 16 == 0, Clock.boottime() > limit { break }
        guard let call = try ThreadCall(of: thread, in: threads.raw, room: &room) else { continue }
        // A 64-bit thread may have its stack down there too.
        if call.number >= 0, call.stackPointer >> 32 == 0, Process.isNarrow(pid) { return .narrow }
        if let name = call.cutShort { return .moves(thread: thread, call: name) }
        if found == .waits, call.wait.kind == .none { found = .works(thread: thread) }
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return found
  }
}
