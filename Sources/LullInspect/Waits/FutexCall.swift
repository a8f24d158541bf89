internal import LullSystem

enum FutexOperation: Int32 {
  case wait = 0
  case lock = 6
  case waitBitset = 9
  case waitRequeue = 11
  case lockAnyClock = 13

  /// The kernel hands over a lock, which changes no word that this process could compare.
  var takes: Bool { self != .wait && self != .waitBitset }
}

extension ThreadCall {
  static let futexPrivate: Int32 = 128
  private static let futexRealtime: Int32 = 256

  var futexOperation: FutexOperation? {
    FutexOperation(rawValue: integer(1) & ~(Self.futexPrivate | Self.futexRealtime))
  }

  /// Only a thread of the same process can wake the waiter: the program says so by FUTEX_PRIVATE_FLAG.
  var isPrivateFutex: Bool { integer(1) & Self.futexPrivate != 0 }

  /// The word still has the value for which the thread waits. A thread that wakes a waiter changes the word
  /// first.
  func holdsFutex(of thread: Int32) throws(SystemError) -> Bool {
    var word: UInt32 = 0
    return try read(argument(0), of: thread, into: &word) && word == UInt32(truncatingIfNeeded: argument(2))
  }

  /// Nanoseconds until the wait gives up. Only FUTEX_WAIT counts them from the beginning of the wait.
  func futexTimeOut(of thread: Int32) throws(SystemError) -> Int64? {
    switch futexOperation {
    case .wait: return try interval(of: thread, at: argument(3))
    case .lock: return try remaining(of: thread, at: argument(3), clock: .realtime)
    default:
      let clock: KernelClock = integer(1) & Self.futexRealtime == 0 ? .monotonic : .realtime
      return try remaining(of: thread, at: argument(3), clock: clock)
    }
  }
}

/// One of the words that futex_waitv(2) waits for, as it stands in the thread's memory.
struct FutexWaiter: BitwiseCopyable {
  var value: UInt64 = 0
  var address: UInt64 = 0
  var flags: UInt32 = 0
  var reserved: UInt32 = 0

  var isPrivate: Bool { flags & UInt32(bitPattern: ThreadCall.futexPrivate) != 0 }
}

extension ThreadCall {
  /// The most words that the kernel lets a thread wait for at once (FUTEX_WAITV_MAX).
  private static let mostFutexes = 128

  func futexWaiters(of thread: Int32) throws(SystemError) -> [FutexWaiter]? {
    let count = Int(clamping: argument(1))
    guard count > 0, count <= Self.mostFutexes else { return nil }
    var waiters = [FutexWaiter](repeating: FutexWaiter(), count: count)
    guard try read(argument(0), of: thread, into: &waiters) else { return nil }
    for waiter in waiters {
      var word: UInt32 = 0
      guard try read(waiter.address, of: thread, into: &word), UInt64(word) == waiter.value else {
        return nil
      }
    }
    return waiters
  }
}
