/// The reason for which a program has ended. Raw values are the protocol's words.
public enum EndReason: String, CaseIterable, Sendable {
  case quit
  /// The user ended it to start it again.
  case restarted
  /// Memory was short, and the program can come back.
  case purged
  /// The operator ended it as if memory were short.
  case purgedByOperator = "purged-by-operator"
  /// `lull daemon stop --programs` ended it.
  case stoppedWithDaemon = "daemon-stopped"
  /// It ends where others are suspended.
  case exitsOnSuspend = "exits-on-suspend"
  /// It was killed: it has broken a limit of ``KillReason``.
  case launchLimit = "launch-limit"
  case backgroundLimit = "background-limit"
  case terminateLimit = "terminate-limit"
  case taskLimit = "task-limit"
  /// It did not take the lines that it got back.
  case linesUntaken = "lines-untaken"
  /// It could not become its command.
  case notStarted = "not-started"
  /// A signal or an exit status that means a fault ended it.
  case crashed
  /// A signal that asks to end ended it (SIGHUP, SIGINT, SIGQUIT, SIGTERM).
  case terminated
  /// Its exit status was 0, or the one by which a shell tells of a signal that asks to end.
  case exited

  /// The engine had it killed.
  public init(_ reason: KillReason) {
    switch reason {
    case .launchLimit: self = .launchLimit
    case .backgroundLimit: self = .backgroundLimit
    case .terminateLimit: self = .terminateLimit
    case .taskLimit: self = .taskLimit
    case .quit: self = .quit
    case .exitsOnSuspend: self = .exitsOnSuspend
    case .purged: self = .purged
    }
  }
}
