/// The fate of an installed program that does not run when the engine hears of it.
public enum InstalledBeginning: CaseIterable, Sendable {
  /// It is started in its turn: the machine or the supervisor was started.
  case boot
  /// The engine before this one was about to start it, and this one does so for the same reason.
  case waiting
  /// It ran under the engine before this one, and its end was not seen: it counts as crashed.
  case lost
  /// It runs, and is about to come back by itself; if it does not, it is started.
  case returning
  /// It is started when something comes for it.
  case ended
  case quit
}

/// The past of an installed program, as the engine before this one knew it.
public struct InstalledPast: Equatable, Sendable {
  /// The reason of its next start, or of its last one.
  public var reason: LaunchReason?
  /// Crashes and failed starts in a row.
  public var crashes: Int
  /// The moment at which the wait before its next start is over; nil when it need not wait.
  public var starts: Moment?
  /// The beginning of its life, or of its last one.
  public var cameAt: Moment?
  /// The time-out of its keep-alive.
  public var keepAlive: Interval?
  /// The moment from which the time-out counts: the last run, or before the first one the beginning.
  public var keepAliveSince: Moment?
  /// True when the keep-alive has run.
  public var hasKeptAlive: Bool
  /// Its fetches.
  public var fetches: FetchWindow?

  /// The last run of its keep-alive.
  public var lastKeepAliveRun: Moment? { hasKeptAlive ? keepAliveSince : nil }

  /// A past with these parts.
  public init(
    reason: LaunchReason? = nil, crashes: Int = 0, starts: Moment? = nil, cameAt: Moment? = nil,
    keepAlive: Interval? = nil, keepAliveSince: Moment? = nil, hasKeptAlive: Bool = false,
    fetches: FetchWindow? = nil
  ) {
    self.fetches = fetches
    (self.reason, self.crashes, self.starts, self.cameAt) = (reason, crashes, starts, cameAt)
    (self.keepAlive, self.keepAliveSince, self.hasKeptAlive) = (keepAlive, keepAliveSince, hasKeptAlive)
  }
}

/// An installed program as `lull list` shows it.
public struct InstalledView: Equatable, Sendable {
  /// Its name.
  public let name: String
  /// Its state.
  public let state: InstalledState
  /// The reason of its next start, or of its last one.
  public let reason: LaunchReason
  /// Crashes and failed starts in a row.
  public let crashes: Int
  /// The moment of its next start.
  public let starts: Moment?
  /// The fate that the next engine is told.
  public let memory: InstalledBeginning
  /// The past that the next engine is told.
  public let past: InstalledPast
  /// The last run of its keep-alive before the program last ended, or the start that counts as one.
  public let lastKeepAliveRun: Moment?
}

/// The end of a program whose lines are kept.
public enum KeptEnding: CaseIterable, Sendable {
  /// It ended by itself, or with an earlier daemon.
  case alone
  /// Its memory was needed, which says nothing about the program.
  case purge
  /// Somebody is about to start it again.
  case restart
  /// It did not take its lines, which are let go: it is started once without them, at once.
  case letGo
}
