/// The reason of an end. Raw values are the words of the item `ended`, beside those of `KillReason`.
public enum EndReason: String, Sendable {
  case quit
  /// The user ended it to start it again.
  case restarted
  /// The operator ended it as if memory were short.
  case purgedByOperator = "purged-by-operator"
  /// `lull daemon stop --programs` ended it.
  case stoppedWithDaemon = "daemon-stopped"
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

  /// The reason of an end that Lull has not brought about; nil when nobody learned the status.
  public init?(_ status: ExitStatus) {
    switch status {
    case .unknown: return nil
    case .exited: self = Policy.isFault(status) ? .crashed : .exited
    case .signaled: self = Policy.isFault(status) ? .crashed : .terminated
    }
  }
}

extension KillReason {
  /// A program that has broken a limit counts as crashed.
  var isFault: Bool {
    switch self {
    case .launchLimit, .backgroundLimit, .taskLimit: true
    case .terminateLimit, .quit, .exitsOnSuspend, .purged: false
    }
  }
}

extension EndEntry {
  /// The end is known as one after which an installed program is started again.
  var isKnownCrash: Bool {
    [EndReason.crashed, .notStarted].contains { $0.rawValue == reason }
      || reason.flatMap(KillReason.init(rawValue:))?.isFault == true
  }

  /// An end that nobody has learned counts as a crash.
  public var isCrash: Bool { reason == nil || isKnownCrash }
}
