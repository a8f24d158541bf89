internal import CLinux
internal import Glibc

/// What the arguments of a call point to.
extension ThreadCall {
  /// What a pair of seconds and units of so many nanoseconds comes to, never below 0; nil when there is none
  /// at the address. `thread` is the thread's number, whose memory is read.
  func interval(of thread: Int32, at address: UInt64, unit: Int64 = 1) throws(SystemError) -> Int64? {
    var pair = InlineArray<2, Int64>(repeating: 0)
    guard try read(address, of: thread, into: &pair) else { return nil }
    let (seconds, overflow) = pair[0].multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : max(0, seconds &+ pair[1] &* unit)
  }

  /// What is left until a moment of a clock; nil for the clocks of processor time too.
  func remaining(of thread: Int32, at address: UInt64, clock: Int32) throws(SystemError) -> Int64? {
    guard let moment = try interval(of: thread, at: address), Self.countsTime(clock) else { return nil }
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return max(0, moment - (Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)))
  }

  /// False for the clocks of processor time.
  static func countsTime(_ clock: Int32) -> Bool {
    clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID
  }

  /// Reads a value of the thread's memory; false when there is none at that address.
  func read<Value: BitwiseCopyable>(
    _ address: UInt64, of thread: Int32, into value: inout Value
  ) throws(SystemError) -> Bool {
    try Self.isRead(
      unsafe withUnsafeMutableBytes(of: &value) { unsafe Self.copy(address, of: thread, into: $0) })
  }

  /// Reads as much of the thread's memory as an array holds; false when it is not all there.
  func read<Value: BitwiseCopyable>(
    _ address: UInt64, of thread: Int32, into values: inout [Value]
  ) throws(SystemError) -> Bool {
    try Self.isRead(unsafe values.withUnsafeMutableBytes { unsafe Self.copy(address, of: thread, into: $0) })
  }

  /// Returns 0 or the error number.
  private static func copy(
    _ address: UInt64, of thread: Int32, into room: UnsafeMutableRawBufferPointer
  ) -> Int32 {
    guard address != 0 else { return EFAULT }
    return unsafe clinux_read_memory(thread, address, room.baseAddress, room.count) == 0 ? 0 : errno
  }

  private static func isRead(_ code: Int32) throws(SystemError) -> Bool {
    if code == EFAULT || code == ESRCH { return false }
    guard code == 0 else { throw SystemError(code: code, call: "process_vm_readv") }
    return true
  }
}
