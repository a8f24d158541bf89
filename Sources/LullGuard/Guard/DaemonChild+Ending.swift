import LullSystem

extension DaemonChild {
  /// The child was ended by a fault of its own, or by its alarm. SIGKILL and SIGTERM come from somebody else.
  var hasCrashed: Bool {
    if case .signaled(let signal) = status { Signal.isFault(signal) || hasHung } else { false }
  }

  var hasHung: Bool { status == .signaled(Signal.alarm) }

  var ending: String {
    switch status {
    case .exited(let code)?: "ended with status \(code)"
    case .signaled(Signal.alarm)?: "hung for \(DaemonOptions.longestTurn) s and was ended"
    case .signaled(let signal)?: "was ended by \(Signal.name(of: signal))"
    case .unknown?, nil: "ended"
    }
  }
}
