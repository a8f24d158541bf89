internal import Glibc

package enum Limits {
  /// The number of descriptors that this process may have open (the soft limit). The corresponding C function
  /// is `getrlimit(RLIMIT_NOFILE)`.
  package static func openFiles() throws(SystemError) -> Int {
    try Int(clamping: read().rlim_cur)
  }

  /// The number to which ``raiseOpenFiles()`` can raise it (the hard limit). The corresponding C function is
  /// `getrlimit(RLIMIT_NOFILE)`.
  package static func mostOpenFiles() throws(SystemError) -> Int {
    try Int(clamping: read().rlim_max)
  }

  /// Raises the soft limit of open files to the hard one, and returns it. Programs that are spawned
  /// afterwards should get the old one back (`SpawnRequest.openFileLimit`).
  @discardableResult
  package static func raiseOpenFiles() throws(SystemError) -> Int {
    var limit = try read()
    limit.rlim_cur = limit.rlim_max
    try systemCall("setrlimit(RLIMIT_NOFILE)") {
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }

  private static func read() throws(SystemError) -> rlimit {
    var limit = rlimit()
    try systemCall("getrlimit(RLIMIT_NOFILE)") {
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return limit
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
