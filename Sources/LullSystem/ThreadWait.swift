internal import CLinux
internal import Glibc

/// How long a thread still waits in its call.
extension ThreadCall {
  /// The time-out in nanoseconds, never below 0; nil when it waits without limit. `thread` is the thread's number,
  /// whose memory is read. The corresponding C function is `process_vm_readv`.
  func timeOut(of thread: Int32) throws(SystemError) -> Int64? {
    let meaning = meaning
    let index = Int(meaning.argument)
    switch meaning.time_out {
    case CLINUX_TIME_OUT_MILLISECONDS:
      let milliseconds = integer(index)
      return milliseconds < 0 ? nil : Int64(milliseconds) * 1_000_000
    case CLINUX_TIME_OUT_TIMESPEC: return try interval(of: thread, index, unit: 1)
    case CLINUX_TIME_OUT_TIMEVAL: return try interval(of: thread, index, unit: 1000)
    case CLINUX_TIME_OUT_CLOCK where integer(1) & TIMER_ABSTIME == 0:
      return try interval(of: thread, index, unit: 1)
    case CLINUX_TIME_OUT_CLOCK: return try remaining(of: thread, index, clock: integer(0))
    case CLINUX_TIME_OUT_REALTIME: return try remaining(of: thread, index, clock: CLOCK_REALTIME)
    default: return nil
    }
  }

  /// What a pair of seconds and units of so many nanoseconds comes to.
  func interval(of thread: Int32, _ index: Int, unit: Int64) throws(SystemError) -> Int64? {
    var pair = InlineArray<2, Int64>(repeating: 0)
    guard try read(argument(index), of: thread, into: &pair) else { return nil }
    let (seconds, overflow) = pair[0].multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : max(0, seconds &+ pair[1] &* unit)
  }

  /// What is left until a moment of a clock; nil for the clocks of processor time too.
  func remaining(of thread: Int32, _ index: Int, clock: Int32) throws(SystemError) -> Int64? {
    guard let moment = try interval(of: thread, index, unit: 1), clock >= 0 else { return nil }
    if clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID { return nil }
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return max(0, moment - (Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)))
  }

  /// Reads a value of the thread's memory; false when there is none at that address.
  func read<Value: BitwiseCopyable>(
    _ address: UInt64, of thread: Int32, into value: inout Value
  ) throws(SystemError) -> Bool {
    guard address != 0 else { return false }
    do {
      try systemCall("process_vm_readv") {
        unsafe withUnsafeMutableBytes(of: &value) { room in
          unsafe clinux_read_memory(thread, address, room.baseAddress, room.count)
        }
      }
      return true
    } catch {
      if error.code == EFAULT || error.isNoSuchProcess { return false }
      throw error
    }
  }
}

/// futex(2), whose operation decides what it does.
extension ThreadCall {
  private static let wait: Int32 = 0
  private static let waitBitset: Int32 = 9
  private static let locks: [Int32] = [6, 13]
  private static let waitRequeue: Int32 = 11
  private static let privateFlag: Int32 = 128
  private static let realtimeFlag: Int32 = 256

  /// What a thread in futex does.
  enum Futex: Equatable {
    /// It waits and nobody has woken it.
    case waits(timeOut: Int64?)
    /// It was woken, or it wakes others.
    case busy
    /// It waits for a lock that is handed over inside the kernel.
    case takes
  }

  /// Compares the word with the value for which it waits. Who wakes a waiter changes the word first.
  func futex(of thread: Int32) throws(SystemError) -> Futex {
    let operation = integer(1) & ~(Self.privateFlag | Self.realtimeFlag)
    switch operation {
    case Self.wait, Self.waitBitset:
      var word: UInt32 = 0
      guard try read(argument(0), of: thread, into: &word),
        word == UInt32(truncatingIfNeeded: argument(2))
      else { return .busy }
      if operation == Self.wait { return .waits(timeOut: try interval(of: thread, 3, unit: 1)) }
      let clock = integer(1) & Self.realtimeFlag == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME
      return .waits(timeOut: try remaining(of: thread, 3, clock: clock))
    case Self.waitRequeue: return .takes
    case let lock where Self.locks.contains(lock): return .takes
    default: return .busy
    }
  }
}
