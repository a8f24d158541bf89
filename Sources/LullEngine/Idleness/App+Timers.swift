extension App {
  mutating func runTimers(_ turn: inout Turn) {
    let run = timers.runTime(turn.policy)
    wake(.timer, line: nil, for: turn.policy.wakeRunTime, &turn)
    retry.wait(until: turn.now + run)
  }

  mutating func lookForSignals(_ turn: inout Turn) {
    timers.looks(at: turn.now)
    turn.perform(.checkSignals(id))
  }

  mutating func signalDue(_ turn: inout Turn) {
    guard isStaying, isAsleep else { return }
    wake(.signal, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  mutating func runWakeTimer(_ turn: inout Turn) {
    wakeTimer = .never
    guard !isAwake else { return }
    turn.runsKeepAlives = true
    wake(.timer, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// Another program had to be woken for its keep-alive or its timers: the keep-alive and the timers that may
  /// run now run with it.
  mutating func joinWake(_ turn: inout Turn) {
    runKeepAlive(&turn)
    if isStaying, isAsleep, timers.opens <= turn.now { runTimers(&turn) }
  }
}
