/// What a look at a frozen program saw: how each thread waits, and what can end these waits. The rules of
/// `Idleness` decide by it whether the program may sleep.
public struct Observation: Equatable, Sendable {
  /// How each thread of each process waits.
  public var threads: [ObservedThread] = []
  /// What they wait for, and what a thread may look at when its nap is over.
  public var sources: [WakeSource] = []
  /// What made the look incomplete.
  public var obstacle: Obstacle?
  /// A process for which a signal waits that a thread of it is to take.
  public var signalled: Int32?
  /// A process of the program waits for the supervisor's answer to a request.
  public var isAsking = false
  /// A child that is not held still with the program can end, and its parent is to hear of it.
  public var hasFreeChild = false
  /// The device of sound that runs, by name.
  public var soundDevice: String?
  /// How often the threads that serve a sound server's socket have run so far; nil when there is no such
  /// socket.
  public var soundTurns: SoundTurns?
  /// A port that is to wake the program and that no socket has.
  public var missingPort: UInt16?
  /// Time until the first of its timer descriptors is due; nil when none is armed.
  public var timer: Interval?
  /// The processor time that the look cost.
  public var cost = Interval.zero

  /// A look that found nothing at all.
  public init() {}

  /// What kept the look from being complete.
  public enum Obstacle: Equatable, Sendable {
    /// More processes than are looked at.
    case tooManyProcesses(Int)
    /// More descriptors than are looked at.
    case tooManyDescriptors(Int)
    /// More lines than a program may have.
    case tooManyLines
    /// The rights of ptrace over a process are missing; the text says which call was refused.
    case noRights(String)
    /// A descriptor cannot be taken or watched, or a process cannot be read.
    case noDescriptor(String)
  }

  /// How often the threads of a sound server's client have run.
  public struct SoundTurns: Equatable, Sendable {
    /// The server, by name.
    public var server: String
    /// Turns since the threads began.
    public var count: UInt64

    /// So many turns for a client of `server`.
    public init(server: String, count: UInt64) {
      self.server = server
      self.count = count
    }
  }
}

/// A thread of a frozen program.
public struct ObservedThread: Equatable, Sendable {
  /// Its process and its own number, for words alone.
  public var process: Int32, thread: Int32
  /// What it waits for.
  public var wait: ObservedWait
  /// What is left of the time-out of its wait; nil waits without limit.
  public var timeOut: Interval?
  /// The whole time-out, where it is known to be longer than what is left.
  public var period: Interval?
  /// That much is left still when the program is thawed, however long it slept: the kernel begins select(2)
  /// and ppoll(2) again with what they had left.
  public var standsStill = false

  /// A thread that waits so.
  public init(process: Int32, thread: Int32, wait: ObservedWait, timeOut: Interval? = nil) {
    self.process = process
    self.thread = thread
    self.wait = wait
    self.timeOut = timeOut
  }
}

extension ObservedThread {
  /// The time-out with which it waits, as far as it is known.
  var wholeTimeOut: Interval? { timeOut.map { max($0, period ?? $0) } }
}

/// What a thread waits for.
public enum ObservedWait: Equatable, Sendable {
  /// Nothing: it runs, or has something in its hands.
  case works
  /// Sets and descriptors.
  case sources
  /// Completions of an io_uring; what it asked the ring for, its process has open.
  case ring
  /// Another thread of its process.
  case thread
  /// The end of a child.
  case child
  /// A signal.
  case signal
  /// The end of a nap.
  case time
  /// A wait that was begun anew, of which nothing is known.
  case unknown
  /// Something that nobody can watch.
  case unwatchable(Unwatchable)
}

/// What a thread can wait for and no descriptor shows.
public enum Unwatchable: String, CaseIterable, Sendable {
  /// A futex in memory that is shared with other processes.
  case sharedFutex = "a futex in shared memory"
  /// A queue or a semaphore of System V.
  case systemV = "a System V queue or semaphore"
  /// A lock on a file.
  case fileLock = "a file lock"
  /// An io_uring that works on descriptors of its own.
  case ring = "an io_uring with direct descriptors"
}
