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

/// A clock by the kernel's number, as other programs name it.
package struct KernelClock: Equatable {
  package let number: Int32

  /// The clock need not exist.
  package init(number: Int32) { self.number = number }

  package static var realtime: KernelClock { KernelClock(number: CLOCK_REALTIME) }
  package static var monotonic: KernelClock { KernelClock(number: CLOCK_MONOTONIC) }

  /// A timer of this clock wakes a suspended machine.
  package var isAlarm: Bool { number == CLOCK_REALTIME_ALARM || number == CLOCK_BOOTTIME_ALARM }

  /// False for the clocks of processor time.
  package var countsTime: Bool {
    number >= 0 && number != CLOCK_PROCESS_CPUTIME_ID && number != CLOCK_THREAD_CPUTIME_ID
  }

  /// Nanoseconds; nil where there is no clock of this number.
  package func now() -> Int64? {
    var time = timespec()
    guard unsafe clock_gettime(number, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
