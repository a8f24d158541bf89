/// A look at a running program, right before it is frozen. A freeze is a signal for the kernel: it cuts calls
/// short, so a program that is at work is not even frozen.
public struct Look: Equatable, Sendable {
  /// The activity of a program, as the system calls of its threads tell it.
  public enum Activity: Equatable, Sendable {
    /// Each thread waits.
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
  /// The refusal counts for every program.
  var interruption: Finding? {
    guard case .moves(let process, let thread, let call) = activity else { return nil }
    return .busy(.notIdle, .call(process: process, thread: thread, call))
  }

  /// The refusal for a program that has to prove that it is idle.
  var obstacle: Finding? {
    switch activity {
    case .waits: nil
    case .works(let process, let thread): .busy(.notIdle, .thread(process: process, thread: thread))
    case .moves: interruption
    case .unreadable(let what): .busy(.unwatchable, .unwatchable(what))
    }
  }
}
