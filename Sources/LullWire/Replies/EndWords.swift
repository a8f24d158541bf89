/// The words for the end of a program, in tables, sentences and the log.
package enum EndWords {
  /// The reason of the end of a command that did not take the lines that it got back.
  package static let linesUntaken = "lines-untaken"
  /// The journal's word for a command that got lines back, and is looked at.
  package static let linesGiven = "lines-given"
  /// The journal's word for a command that took the lines that it got back, or is believed to.
  package static let linesTaken = "lines-taken"

  /// One word and what belongs to it, for example `crashed (SIGSEGV)`, `failed (status 3)`. `reason`: the
  /// word of an item `ended`; `status`: how the first process ended, for example `status 0` or `SIGSEGV`, and
  /// nil where nobody learned it.
  package static func text(_ reason: String?, _ status: String?) -> String {
    let how = status.map { " (\($0))" } ?? ""
    return switch reason {
    case nil where status == nil: "ended (status unknown)"
    case "exited", "terminated", nil: "ended\(how)"
    // A program may use its status to tell something else than a fault.
    case "crashed" where how.hasPrefix(" (status "): "failed\(how)"
    case "not-started": "could not be started\(how)"
    case "daemon-stopped": "ended with the daemon\(how)"
    case linesUntaken: "ended (did not take its lines)"
    case "purged": "purged (memory was short)"
    case "purged-by-operator": "purged (by hand)"
    case "launch-limit": "launch-limit (killed: was not ready in time)"
    case "background-limit": "background-limit (killed: took too long to go into the background)"
    case "terminate-limit": "terminate-limit (killed: took too long to end)"
    case "task-limit": "task-limit (killed: a background task was still open at its end)"
    case "exits-on-suspend": "exits-on-suspend (ended instead of being put to sleep)"
    case let other?: "\(Printable.text(other))\(how)"
    }
  }
}
