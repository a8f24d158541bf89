internal import LullSystem

extension ThreadCall {
  /// The nanoseconds of a pair of seconds and units of `unit` nanoseconds, never below 0; nil when there is
  /// no such pair at the address. `thread` is the thread's number, whose memory is read.
  func interval(of thread: Int32, at address: UInt64, unit: Int64 = 1) throws(SystemError) -> Int64? {
    var pair = InlineArray<2, Int64>(repeating: 0)
    guard try read(address, of: thread, into: &pair) else { return nil }
    let (seconds, overflow) = pair[0].multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : max(0, seconds &+ pair[1] &* unit)
  }

  /// The nanoseconds until a moment of a clock; nil when the moment cannot be read, and for the clocks of
  /// processor time.
  func remaining(of thread: Int32, at address: UInt64, clock: KernelClock) throws(SystemError) -> Int64? {
    guard let moment = try interval(of: thread, at: address), clock.countsTime, let now = clock.now() else {
      return nil
    }
    return max(0, moment - now)
  }

  func read<Value: BitwiseCopyable>(
    _ address: UInt64, of thread: Int32, into value: inout Value
  ) throws(SystemError) -> Bool {
    try unsafe withUnsafeMutableBytes(of: &value) { room throws(SystemError) in
      try unsafe ProcessMemory.read(address, of: thread, into: room)
    }
  }

  func read<Value: BitwiseCopyable>(
    _ address: UInt64, of thread: Int32, into values: inout [Value]
  ) throws(SystemError) -> Bool {
    try unsafe values.withUnsafeMutableBufferPointer { room throws(SystemError) in
      try unsafe ProcessMemory.read(address, of: thread, into: UnsafeMutableRawBufferPointer(room))
    }
  }

  /// The time-out of the call in nanoseconds, never below 0; nil when the thread waits without limit. The
  /// corresponding C function is `process_vm_readv`.
  func ownTimeOut(of thread: Int32) throws(SystemError) -> Int64? {
    let index = wait.argument
    switch wait.timeOut {
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
