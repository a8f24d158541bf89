internal import Glibc

/// The process's one alarm: a SIGALRM, which ends a process that does not handle it, also in a wait that only
/// a fatal signal ends. An alarm needs no other thread and costs nothing until it goes off.
package enum Alarm {
  /// Sets the alarm to so many seconds from now, suspended time not counted, in place of the one set before.
  /// The corresponding C function is `setitimer(ITIMER_REAL)`.
  package static func set(seconds: Int) {
    var value = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    // The call fails only for an invalid time.
    _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &value, nil)
  }

  package static func cancel() { set(seconds: 0) }
}
