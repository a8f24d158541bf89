internal import Glibc

/// The nice value of threads: from -20, which gets most of the processor, to 19. A thread without an I/O
/// priority of its own gets its share of the disks by this value too (ioprio_set(2)).
package enum NiceValue {
  package static let highest: Int32 = 19

  private static let process = __priority_which_t(PRIO_PROCESS.rawValue)

  /// ESRCH: the thread has ended.
  package static func of(_ thread: Int32) throws(SystemError) -> Int32 {
    errno = 0
    let value = getpriority(process, id_t(thread))
    // A nice value of -1 is no failure.
    guard errno == 0 else { throw SystemError("getpriority") }
    return value
  }

  /// ESRCH: the thread has ended; EACCES: a lower value needs CAP_SYS_NICE; EPERM: the thread is another
  /// user's.
  package static func set(_ value: Int32, of thread: Int32) throws(SystemError) {
    try systemCall("setpriority") { setpriority(process, id_t(thread), value) }
  }

  /// ENOENT: the process has ended.
  package static func threads(of process: Int32) throws(SystemError) -> [Int32] {
    try NumberedEntries.all(in: "/proc/\(process)/task")
  }
}

package enum Scheduling {
  /// Asks for a processor before ordinary programs: by the lowest priority of real time, which children do
  /// not inherit, and by a nice value of -10. Each of the two is left out where the limits do not allow it.
  package static func preferRealTime() {
    let resetOnFork: Int32 = 0x4000_0000  // SCHED_RESET_ON_FORK
    var parameters = sched_param()
    parameters.sched_priority = 1
    _ = unsafe sched_setscheduler(0, SCHED_RR | resetOnFork, &parameters)
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
  }
}
