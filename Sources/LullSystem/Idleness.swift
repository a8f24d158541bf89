internal import CLinux
internal import Glibc

/// Whether a frozen process has work in its hands.
public enum Idleness: Equatable, Sendable {
  /// Every thread stands in a call that waits and has taken nothing. `shortestWait` is the shortest time-out in
  /// nanoseconds with which one of them waits (what is left of it where the kernel writes that back: ppoll, select
  /// and pselect, and of a wait for a moment), `longestWait` the longest one; nil when all wait without limit.
  case parked(shortestWait: Int64?, longestWait: Int64?)
  /// This thread runs, or has something that it has not handled.
  case busy(thread: Int32)
}

extension Process {
  /// Whether every thread of a frozen process waits, so that it has taken nothing from a queue that it has not
  /// handled. A process that has ended is parked. Threads in a call that takes what it waits for are looked at
  /// with ptrace: that sends this process SIGCHLD, and `Cgroup.state` can say for a moment that it is not frozen.
  /// EACCES or EPERM (`isNotPermitted`): no ptrace right over it.
  /// The corresponding C functions are `read` of `/proc/PID/task/TID/syscall`, `process_vm_readv` and `ptrace`.
  public static func idleness(of pid: Int32) throws(SystemError) -> Idleness {
    var survey = ThreadSurvey()
    do {
      var threads = try NumberedEntries("/proc/\(pid)/task")
      while let thread = threads.next() {
        guard try survey.add(thread, in: threads.raw) else { return .busy(thread: thread) }
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return try survey.conclude()
  }
}

/// What has been seen of the threads of one process.
private struct ThreadSurvey {
  private var room = ShortText()
  private var shortestWait: Int64?
  private var longestWait: Int64?
  private var takers: [clinux_look] = []

  /// Notes one thread; false when it is busy.
  mutating func add(_ thread: Int32, in tasks: Int32) throws(SystemError) -> Bool {
    guard let call = try ThreadCall(ofFrozen: thread, in: tasks, room: &room) else { return true }
    switch call.meaning.kind {
    case CLINUX_CALL_WAITS, CLINUX_CALL_POLLS, CLINUX_CALL_EPOLLS:
      note(try call.timeOut(of: thread))
    case CLINUX_CALL_FUTEX:
      switch try call.futex(of: thread) {
      case .waits(let timeOut): note(timeOut)
      case .takes: takers.append(clinux_look(thread: thread, outcome: CLINUX_LOOK_REFUSED))
      case .busy: return false
      }
    case CLINUX_CALL_READS, CLINUX_CALL_TAKES:
      note(try call.timeOut(of: thread))
      takers.append(clinux_look(thread: thread, outcome: CLINUX_LOOK_REFUSED))
    default: return false
    }
    return true
  }

  private mutating func note(_ timeOut: Int64?) {
    guard let timeOut else { return }
    shortestWait = min(timeOut, shortestWait ?? .max)
    longestWait = max(timeOut, longestWait ?? 0)
  }

  /// Looks at the threads whose call takes what it waits for: it may have it already.
  mutating func conclude() throws(SystemError) -> Idleness {
    let parked = Idleness.parked(shortestWait: shortestWait, longestWait: longestWait)
    guard !takers.isEmpty else { return parked }
    try systemCall("pthread_create") {
      unsafe takers.withUnsafeMutableBufferPointer { looks in
        var list = unsafe clinux_look_list(looks: looks.baseAddress, count: looks.count)
        return unsafe clinux_look_at_threads(&list)
      }
    }
    let busy = takers.first { $0.outcome == CLINUX_LOOK_BUSY || $0.outcome == CLINUX_LOOK_REFUSED }
    return busy.map { .busy(thread: $0.thread) } ?? parked
  }
}
