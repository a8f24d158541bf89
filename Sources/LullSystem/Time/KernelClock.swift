internal import Glibc

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
