import LullSystem

// The way in which the child ended.
extension DaemonChild {
  /// True when the child was ended by a signal, or in an unknown way.
  var hasCrashed: Bool { if case .exited = status { false } else { true } }

  /// True when the child's alarm ended it.
  var hasHung: Bool { status == .signaled(Signal.alarm) }

  /// The way in which the child ended, in words.
  var ending: String {
    switch status {
    case .exited(let code)?: "ended with status \(code)"
    case .signaled(Signal.alarm)?: "hung for \(DaemonOptions.longestTurn) s and was ended"
    case .signaled(let signal)?: "was ended by \(Signal.name(of: signal))"
    case .unknown?, nil: "ended"
    }
  }
}
