/// What becomes of an installed program that does not run when the engine hears of it.
public enum InstalledBeginning: CaseIterable, Sendable {
  /// It is started in its turn: the machine or the supervisor was started.
  case boot
  /// The engine before this one was about to start it: that goes on, for the same reason.
  case waiting
  /// It ran under the engine before this one, and its end was not seen: it counts as crashed.
  case lost
  /// It runs, and is about to come back by itself; if it does not, it is started.
  case returning
  /// It waits for what comes for it.
  case ended
  /// It was force-quit.
  case quit
}

/// What else the engine before this one knew of an installed program.
public struct InstalledPast: Equatable, Sendable {
  /// The reason of its next start, or of its last one; nil: not known.
  public var reason: LaunchReason?
  /// Crashes and failed starts in a row.
  public var crashes: Int
  /// The moment at which the wait before its next start is over; nil: it need not wait.
  public var starts: Moment?
  /// The beginning of its life, or of its last one; nil: not known.
  public var cameAt: Moment?
  /// The time-out of its keep-alive; nil: it has none.
  public var keepAlive: Interval?
  /// The moment from which the time-out counts: the last run, or before the first one the beginning.
  public var keepAliveSince: Moment?
  /// True when the keep-alive has run.
  public var hasKeptAlive: Bool

  /// The last run of its keep-alive.
  public var lastKeepAliveRun: Moment? { hasKeptAlive ? keepAliveSince : nil }

  /// Knows nothing but what is given.
  public init(
    reason: LaunchReason? = nil, crashes: Int = 0, starts: Moment? = nil, cameAt: Moment? = nil,
    keepAlive: Interval? = nil, keepAliveSince: Moment? = nil, hasKeptAlive: Bool = false
  ) {
    (self.reason, self.crashes, self.starts, self.cameAt) = (reason, crashes, starts, cameAt)
    (self.keepAlive, self.keepAliveSince, self.hasKeptAlive) = (keepAlive, keepAliveSince, hasKeptAlive)
  }
}
