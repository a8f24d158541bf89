/// A descriptor that a thread waits for.
public struct WaitedDescriptor: Equatable, Sendable {
  /// The number in its process.
  public let number: Int32
  /// What it waits for there. Errors and a hang-up end every wait, also one for nothing.
  public let interest: Interest

  /// A descriptor with what is waited for there.
  public init(number: Int32, interest: Interest) {
    self.number = number
    self.interest = interest
  }
}

/// What a thread waits for.
public enum ThreadWait: Equatable, Sendable {
  /// For nothing: it runs, or it has something that it has not handled.
  case works
  /// For the epoll set of this number. A thread that was cut off with an event in its hands looks the same: a
  /// level-triggered event shows in the set again, of an edge-triggered or one-shot one only `Process.look`
  /// tells.
  case epoll(Int32)
  /// For one of these descriptors; never empty.
  case descriptors([WaitedDescriptor])
  /// For a completion of the io_uring of this number.
  case ring(Int32)
  /// For another thread of its own process.
  case thread
  /// For the end of a child.
  case child
  /// For a signal.
  case signal
  /// For nothing but its time-out.
  case time
  /// For something that nobody else can watch.
  case unwatchable(Unwatchable)
  /// For something that it began to wait for before its first reading.
  case unknown
}

/// What a thread can wait for and nobody else can watch.
public enum Unwatchable: Hashable, Sendable {
  /// A word in memory that other processes can share.
  case sharedFutex
  /// A queue or semaphore of System V.
  case systemV
  /// A lock of a file.
  case fileLock
  /// An io_uring that is registered with the thread, which has no descriptor number.
  case registeredRing
}

/// How one thread waits.
public struct ThreadState: Equatable, Sendable {
  /// The thread's number.
  public let thread: Int32
  /// What it waits for.
  public let wait: ThreadWait
  /// Nanoseconds until its own time-out, at most: when the wait began is not known before its first reading.
  /// Never below 0; nil without limit, or when it counts processor time.
  public let timeOut: Int64?
  /// Nanoseconds of the whole time-out where it could be told: a thread that waits again and again is seen in
  /// the middle of its wait, and the ends of two waits in a row tell their distance.
  public internal(set) var period: Int64?
  /// What is left of the time-out stands still while the thread is frozen: select and ppoll begin again with
  /// it.
  public let standsStill: Bool
  /// Whether its call takes what it waits for, so that only `Process.look` can tell whether it has it
  /// already.
  public let needsLook: Bool

  /// A thread with its wait.
  public init(
    thread: Int32, wait: ThreadWait, timeOut: Int64? = nil, standsStill: Bool = false, needsLook: Bool = false
  ) {
    self.thread = thread
    self.wait = wait
    self.timeOut = timeOut
    self.standsStill = standsStill
    self.needsLook = needsLook
  }
}
