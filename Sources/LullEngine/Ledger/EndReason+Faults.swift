extension EndReason {
  /// The reason of an end that Lull has not brought about; nil when nobody learned the status.
  public init?(_ status: ExitStatus) {
    switch status {
    case .unknown: return nil
    case .exited: self = Policy.isFault(status) ? .crashed : .exited
    case .signaled: self = Policy.isFault(status) ? .crashed : .terminated
    }
  }

  /// An installed program is started again after such an end; one that has broken a limit counts as crashed.
  var isFault: Bool {
    switch self {
    case .crashed, .notStarted, .launchLimit, .backgroundLimit, .taskLimit: true
    case .quit, .restarted, .purged, .purgedByOperator, .stoppedWithDaemon, .exitsOnSuspend, .terminateLimit,
      .linesUntaken, .terminated, .exited:
      false
    }
  }
}

extension OpenWord<EndReason> {
  /// The reason of an end that Lull has not brought about; nil when nobody learned the status.
  public init?(_ status: ExitStatus) {
    guard let reason = EndReason(status) else { return nil }
    self.init(reason)
  }
}

extension EndEntry {
  /// The end is known as a fault.
  var isKnownCrash: Bool { reason?.known?.isFault == true }

  /// An end that nobody has learned counts as a crash.
  public var isCrash: Bool { reason == nil || isKnownCrash }
}
