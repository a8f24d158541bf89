internal import Glibc

/// How soon this process gets a processor.
public enum Scheduling {
  /// Asks for a processor before ordinary programs: among those of real time where the limits allow it (the lowest of
  /// them, and children are not), and as a nice one of -10 where that is allowed. What is not allowed is left.
  /// The corresponding C functions are `sched_setscheduler` and `setpriority`.
  public static func preferSound() {
    let resetOnFork: Int32 = 0x4000_0000  // SCHED_RESET_ON_FORK
    var parameters = sched_param()
    parameters.sched_priority = 1
    _ = unsafe sched_setscheduler(0, SCHED_RR | resetOnFork, &parameters)
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
  }
}
