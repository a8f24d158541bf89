internal import LullSystem

extension ThreadCall {
  /// The time-out of a form in the argument of an index, in nanoseconds, never below 0; nil when the thread
  /// waits without limit. The corresponding C function is `process_vm_readv`.
  func timeOut(
    of thread: Int32, _ form: CallWait.TimeOut, _ index: Int
  ) throws(SystemError) -> Int64? {
    switch form {
    case .milliseconds:
      let milliseconds = integer(index)
      return milliseconds < 0 ? nil : Int64(milliseconds) * 1_000_000
    case .timespec: return try interval(of: thread, at: argument(index))
    case .timeval: return try interval(of: thread, at: argument(index), unit: 1000)
    case .clock where integer(1) & Self.untilMoment == 0:
      return KernelClock(number: integer(0)).countsTime ? try interval(of: thread, at: argument(index)) : nil
    case .clock:
      return try remaining(of: thread, at: argument(index), clock: KernelClock(number: integer(0)))
    case .realtime:
      return try remaining(of: thread, at: argument(index), clock: .realtime)
    case .none: return nil
    }
  }

  private static let untilMoment: Int32 = 1  // TIMER_ABSTIME
}
