/// A look at a running program, right before it is frozen. A freeze is a signal for the kernel: it cuts calls
/// short, so a program that is at work is not even frozen.
public struct Look: Equatable, Sendable {
  /// The activity of a program, as the system calls of its threads tell it.
  public enum Activity: Equatable, Sendable {
    case waits
    case works(process: Int32, thread: Int32)
    /// This thread is in the middle of a call that a freeze would cut short.
    case moves(process: Int32, thread: Int32, call: String)
    /// The system calls of a process cannot be read.
    case unreadable(Unwatchable)
  }

  /// What was found.
  public var activity = Activity.waits
  /// The processor time that the program has used in its life; nil when it is not known.
  public var used: Interval?
  /// The processor time of the look.
  public var cost = Interval.zero

  /// A look that found every thread waiting.
  public init() {}
}

extension Look {
  /// This refusal counts for every program.
  var interruption: Finding? {
    guard case .moves(let process, let thread, let call) = activity else { return nil }
    return .busy(.notIdle, .call(process: process, thread: thread, call))
  }

  /// This refusal counts for a program that has to prove that it is idle.
  var obstacle: Finding? {
    switch activity {
    case .waits: nil
    case .works(let process, let thread): .busy(.notIdle, .thread(process: process, thread: thread))
    case .moves: interruption
    case .unreadable(let what): .busy(.unwatchable, .unwatchable(what))
    }
  }
}

/// The use of the processor from one look to the next: it tells a program that works in short naps from one
/// that only ticks.
struct WorkMemory: Sendable {
  /// The beginning of the window over which the use is taken, and the use until then.
  private var begin: (moment: Moment, used: Interval)?
  private var last: Interval?
  /// A whole window since the last wake has shown no work.
  private var rests = false

  /// Refuses a program that uses more than a small share of a processor. The handling of one wake is no
  /// steady work, hence the window; a program that `ticks` is looked at again when its window is over.
  mutating func evaluate(_ used: Interval?, ticks: Bool, at now: Moment, policy: Policy) -> Finding? {
    guard let used else { return nil }
    last = used
    let (since, before) = begin ?? (now, used)
    // Without a cgroup, processes that have ended take their time with them.
    guard before <= used, now >= since else {
      begin = (now, used)
      return nil
    }
    let window = now - since
    guard window >= policy.workWindow else {
      begin = (since, before)
      return ticks && !rests ? .busy(.ticking, .none, retryAfter: policy.workWindow - window) : nil
    }
    begin = (now, used)
    let share = (used - before).scaled(by: 100, over: window.nanoseconds).nanoseconds
    rests = share < policy.workShare
    return rests ? nil : .busy(.notIdle, .processor(percent: share))
  }

  /// A sleeper uses no processor.
  mutating func woke(at now: Moment) {
    begin = last.map { (now, $0) }
    rests = false
  }

  mutating func standStill(_ time: Interval) {
    begin = begin.map { ($0.moment + time, $0.used) }
  }
}
