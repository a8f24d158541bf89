/// The words for the end of a program, in tables, sentences and the log.
package enum EndWords {
  /// One word and what belongs to it, for example `crashed (SIGSEGV)`, `failed (status 3)`. `reason`: that of
  /// an item `ended`; `status`: how the first process ended, for example `status 0` or `SIGSEGV`. Each is nil
  /// where nobody learned it.
  package static func text(_ reason: OpenWord<EndReason>?, _ status: String?) -> String {
    let how = status.map { " (\($0))" } ?? ""
    guard let reason else { return "ended\(status == nil ? " (status unknown)" : how)" }
    return switch reason.known {
    case .exited, .terminated: "ended\(how)"
    // A program may use its status to tell something else than a fault.
    case .crashed where how.hasPrefix(" (status "): "failed\(how)"
    case .notStarted: "could not be started\(how)"
    case .stoppedWithDaemon: "ended with the daemon\(how)"
    case .linesUntaken: "ended (did not take its lines)"
    case .purged: "purged (memory was short)"
    case .purgedByOperator: "purged (by hand)"
    case .launchLimit: "launch-limit (killed: was not ready in time)"
    case .backgroundLimit: "background-limit (killed: took too long to go into the background)"
    case .terminateLimit: "terminate-limit (killed: took too long to end)"
    case .taskLimit: "task-limit (killed: a background task was still open at its end)"
    case .exitsOnSuspend: "exits-on-suspend (ended instead of being put to sleep)"
    case .quit, .restarted, .crashed, nil: "\(Printable.text(reason.text))\(how)"
    }
  }
}
