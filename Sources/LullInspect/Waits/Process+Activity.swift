package import LullSystem

/// The activity of a running process, as its system calls tell it.
package enum ProcessActivity: Equatable, Sendable {
  case waits
  /// A thread runs, or is in a call that does not wait.
  case works(thread: Int32)
  /// A thread is in the middle of a call that a freeze would cut short.
  case moves(thread: Int32, call: String)
  /// The process has 32-bit words, and the numbers of its system calls mean others.
  case narrow
}

/// A look at a running process, in steps: it does not disturb the process. The corresponding C function is
/// `read` of `/proc/PID/task/TID/syscall`.
package final class ActivityLook {
  private let files: ThreadFiles
  private var threads: ArraySlice<Int32>
  /// A call that a freeze would cut short counts for more than other work.
  package private(set) var found = ProcessActivity.waits

  package init(at files: ThreadFiles) throws(SystemError) {
    self.files = files
    threads = try files.threads()[...]
  }

  /// Goes on where it stopped; false when there was no time before `limit` (CLOCK_BOOTTIME) for some threads.
  /// EACCES or EPERM (`isNotPermitted`): no ptrace right over the process.
  package func advance(until limit: Int64) throws(SystemError) -> Bool {
    var (room, count) = (ShortText(), 0)
    while let thread = threads.popFirst() {
      if try see(thread, &room) { return true }
      count += 1
      if count % 16 == 0, Clock.boottime() > limit { return false }
    }
    return true
  }

  /// True when no other thread counts for more.
  private func see(_ thread: Int32, _ room: inout ShortText) throws(SystemError) -> Bool {
    guard let call = try ThreadCall(of: thread, in: files, room: &room) else { return false }
    // A 64-bit thread may have its stack down there too.
    if call.number >= 0, call.stackPointer >> 32 == 0, Process.isNarrow(files.pid) {
      found = .narrow
      return true
    }
    if let name = call.cutShort {
      found = .moves(thread: thread, call: name)
      return true
    }
    if found == .waits, call.wait.kind == .none { found = .works(thread: thread) }
    return false
  }
}

extension Process {
  /// The activity as far as there is time before `limit`. A process that has ended waits.
  package static func activity(of pid: Int32, until limit: Int64) throws(SystemError) -> ProcessActivity {
    guard let look = try unlessGone(try ActivityLook(at: ThreadFiles(of: pid))) else { return .waits }
    _ = try look.advance(until: limit)
    return look.found
  }
}
