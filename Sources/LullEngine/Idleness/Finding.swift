/// What the rules of idleness come to.
public enum Finding: Equatable, Sendable {
  /// The program may sleep.
  case idle(WatchPlan)
  /// It may not, for this reason; another look before `retryAfter` is in vain.
  case busy(FreezeRefusal, Detail, retryAfter: Interval? = nil)
}

/// How the sources of a program that is about to sleep are to be watched.
public struct WatchPlan: Equatable, Sendable {
  /// Whatever becomes ready wakes the program: the thaw need not wait for the engine.
  public var wakesAtOnce = true
  /// Lines whose unread bytes count no more: only what changes there wakes the program.
  public var disregarded: [LineID] = []
  /// Lines that take no bytes: their room wakes the program as well.
  public var full: [LineID] = []

  /// Everything is watched for what comes.
  public init() {}
}

/// What a refusal is about, for words.
public enum Detail: Equatable, Sendable {
  case none
  case thread(process: Int32, thread: Int32)
  case signal(process: Int32)
  /// A line, with so many unread bytes.
  case line(LineID, unread: Int)
  /// The doorbell of a session of sound.
  case doorbell
  /// The program wakes so often; `isSession` when it has new UDP sockets as well.
  case tick(Interval, isSession: Bool)
  /// A wait for an answer over UDP that has so long to go.
  case query(LineID, Interval)
  case port(UInt16)
  /// So many, and at most so many.
  case count(Int, most: Int)
  case unwatchable(Unwatchable)
  /// A device or a server of sound; `isSure` when a stream was seen to run.
  case sound(String, isSure: Bool)
  /// What the shell has to say.
  case text(String)
}
