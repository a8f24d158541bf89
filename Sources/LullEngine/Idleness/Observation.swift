/// The observation of a frozen program: the wait of each thread, and the sources that can end these waits.
/// The rules of `Idleness` evaluate it.
public struct Observation: Equatable, Sendable {
  /// The threads of every process.
  public var threads: [ObservedThread] = []
  /// The sources that the threads wait for, and those that a thread may read when its nap is over.
  public var sources: [WakeSource] = []
  /// The obstacle that made the observation incomplete.
  public var obstacle: Obstacle?
  /// A process with a pending signal that one of its threads is to take.
  public var signalled: Int32?
  /// A process of the program waits for the supervisor's answer to a request.
  public var isAsking = false
  /// A child that is not frozen with the program can end, and its parent is to be told.
  public var hasFreeChild = false
  /// The name of a sound device that runs.
  public var audioDevice: String?
  /// The program records from a sound device or a sound server, past its audio sessions.
  public var records = false
  /// The use of a sound server; nil without a socket of one.
  public var audioTurns: AudioTurns?
  /// A port that is to wake the program and that no socket has.
  public var missingPort: UInt16?
  /// The time until the first of its timer descriptors is due; nil when none is armed.
  public var timer: Interval?
  /// The program may have alarms, POSIX timers or other causes of a signal whose time nobody can tell.
  public var hidesTimers = false
  /// The processor time of the observation.
  public var cost = Interval.zero

  /// An observation that found nothing at all.
  public init() {}

  /// The obstacle to a complete observation.
  public enum Obstacle: Equatable, Sendable {
    case tooManyProcesses(Int)
    case tooManyDescriptors(Int)
    case tooManyLines
    /// The rights of ptrace over a process are missing; the text says which call was refused.
    case noRights(String)
    /// A descriptor cannot be taken or watched, or a process cannot be read.
    case noDescriptor(String)
  }

  /// The turns of the threads that serve a sound server's socket.
  public struct AudioTurns: Equatable, Sendable {
    /// The name of the server.
    public var server: String
    /// The number of times that the threads have run.
    public var count: UInt64

    /// The turns of a client of `server`.
    public init(server: String, count: UInt64) {
      self.server = server
      self.count = count
    }
  }
}

/// A thread of a frozen program.
public struct ObservedThread: Equatable, Sendable {
  /// The numbers of its process and of the thread, for messages alone.
  public var process: Int32, thread: Int32
  /// The object of its wait.
  public var wait: ObservedWait
  /// The rest of the time-out of its wait; nil waits without limit.
  public var timeOut: Interval?
  /// The whole time-out, where it is known to be longer than its rest.
  public var period: Interval?
  /// The course of the time-out while the program sleeps.
  public var course = TimeOutCourse.goesOn
  /// The number of the datagram socket for which a thread of a program on the library waits, and which is not
  /// one of the program's lines.
  public var query: UInt64?

  /// A thread with this wait.
  public init(process: Int32, thread: Int32, wait: ObservedWait, timeOut: Interval? = nil) {
    self.process = process
    self.thread = thread
    self.wait = wait
    self.timeOut = timeOut
  }
}

extension ObservedThread {
  var wholeTimeOut: Interval? { timeOut.map { max($0, period ?? $0) } }
}

extension [ObservedThread] {
  /// Without the ticks, for which `TickMemory` waits.
  func longWaits(_ policy: Policy) -> [ObservedThread] {
    filter { ($0.wholeTimeOut ?? .zero) >= policy.tick }
  }
}

/// The object of a thread's wait.
public enum ObservedWait: Equatable, Sendable {
  /// The thread waits for nothing: it runs, or is in the middle of something.
  case works
  /// Sets and descriptors.
  case sources
  /// Completions of an io_uring, on descriptors that the process has open.
  case ring
  case thread
  case child
  case signal
  /// The end of a nap.
  case time
  /// A wait that was begun anew, with an unknown object.
  case unknown
  case unwatchable(Unwatchable)
}
