extension App {
  func crashed(with status: ExitStatus, _ turn: Turn) -> Bool {
    switch exit {
    case .killed(let reason): return reason.isFault
    case .ending: return false
    case .staying: break
    }
    guard Policy.isFault(status) else { return false }
    return askedToEnd.map { turn.now - $0 > turn.policy.endingTime } ?? true
  }

  /// True when its launch is over: a program on the library has its messages, a command was frozen once.
  var hasStarted: Bool {
    guard !registration.speaks else { return isLaunched && mail.isEmpty }
    if case .due = trial { return false }
    return true
  }
}
