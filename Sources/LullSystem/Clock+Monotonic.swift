internal import Glibc

extension Clock {
  /// Nanoseconds since boot without suspended time: for stamps that are compared between processes.
  /// The corresponding C function is `clock_gettime(CLOCK_MONOTONIC)`.
  public static func monotonic() -> Int64 {
    var time = timespec()
    let result = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    precondition(result == 0, "clock_gettime failed")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
