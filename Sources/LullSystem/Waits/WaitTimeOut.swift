internal import CLinux
internal import Glibc

extension ThreadCall {
  /// The time-out of a form in the argument of an index, in nanoseconds, never below 0; nil when the thread
  /// waits without limit. The corresponding C function is `process_vm_readv`.
  func timeOut(
    of thread: Int32, _ form: clinux_time_out, _ index: Int
  ) throws(SystemError) -> Int64? {
    switch form {
    case CLINUX_TIME_OUT_MILLISECONDS:
      let milliseconds = integer(index)
      return milliseconds < 0 ? nil : Int64(milliseconds) * 1_000_000
    case CLINUX_TIME_OUT_TIMESPEC: return try interval(of: thread, at: argument(index))
    case CLINUX_TIME_OUT_TIMEVAL: return try interval(of: thread, at: argument(index), unit: 1000)
    case CLINUX_TIME_OUT_CLOCK where integer(1) & TIMER_ABSTIME == 0:
      return Self.countsTime(integer(0)) ? try interval(of: thread, at: argument(index)) : nil
    case CLINUX_TIME_OUT_CLOCK:
      return try remaining(of: thread, at: argument(index), clock: integer(0))
    case CLINUX_TIME_OUT_REALTIME:
      return try remaining(of: thread, at: argument(index), clock: CLOCK_REALTIME)
    default: return nil
    }
  }
}
