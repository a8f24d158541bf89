internal import Glibc

/// The kernel's clocks, in nanoseconds.
package enum Clock {
  /// Nanoseconds since boot, suspended time included: the clock for every interval.
  /// The corresponding C function is `clock_gettime(CLOCK_BOOTTIME)`.
  package static func boottime() -> Int64 { read(CLOCK_BOOTTIME) }

  /// Nanoseconds since 1970 (UTC), which the user can set back and forth: only for dates.
  /// The corresponding C function is `clock_gettime(CLOCK_REALTIME)`.
  package static func realtime() -> Int64 { read(CLOCK_REALTIME) }

  /// Nanoseconds since boot without suspended time: for stamps that are compared between processes.
  /// The corresponding C function is `clock_gettime(CLOCK_MONOTONIC)`.
  package static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds of processor time that the calling thread has used.
  /// The corresponding C function is `clock_gettime(CLOCK_THREAD_CPUTIME_ID)`.
  package static func processorTime() -> Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: Int32) -> Int64 {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime failed")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
