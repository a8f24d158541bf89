/// The result of the rules of idleness.
public enum Finding: Equatable, Sendable {
  case idle(WatchPlan)
  /// The program may not sleep, for this reason; another observation before `retryAfter` is in vain.
  case busy(FreezeRefusal, Detail, retryAfter: Interval? = nil)
}

/// The way in which the sources of a sleeping program are watched.
public struct WatchPlan: Equatable, Sendable {
  /// Any source that becomes ready wakes the program: the thaw need not wait for the engine.
  public var wakesAtOnce = true
  /// Lines whose unread bytes no longer count: only a change there wakes the program.
  public var disregarded: [LineID] = []
  /// Lines that take no bytes: room for new bytes wakes the program as well.
  public var full: [LineID] = []

  /// A plan that watches every source for what comes.
  public init() {}
}

/// The object of a refusal.
public enum Detail: Equatable, Sendable {
  case none
  case thread(process: Int32, thread: Int32)
  case signal(process: Int32)
  /// A system call that the freeze would cut short.
  case call(process: Int32, thread: Int32, String)
  /// The use of the processor since the last look.
  case processor(percent: Int64)
  /// A line, with this number of unread bytes.
  case line(LineID, unread: Int)
  /// The doorbell of an audio session.
  case doorbell
  /// The period in which the program wakes; `isSession` when it has new UDP sockets as well.
  case tick(Interval, isSession: Bool)
  /// A wait for an answer over UDP, with the rest of its time.
  case query(LineID, Interval)
  case port(UInt16)
  /// A number, and the most that is allowed.
  case count(Int, most: Int)
  case unwatchable(Unwatchable)
  /// A sound device or a sound server; `isSure` when a stream was seen to run.
  case sound(String, isSure: Bool)
  case text(String)
}
