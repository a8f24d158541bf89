extension App {
  /// Wakes a sleeper for its own timers.
  mutating func runTimers(_ turn: inout Turn) {
    let run = timers.runTime(turn.policy)
    wake(.timer, line: nil, for: turn.policy.wakeRunTime, &turn)
    retry.wait(until: turn.now + run)
  }

  /// Another program had to be woken for its keep-alive or its timers: the keep-alive and the timers that may
  /// run now run with it.
  mutating func joinWake(_ turn: inout Turn) {
    runKeepAlive(&turn)
    if isStaying, isAsleep, timers.opens <= turn.now { runTimers(&turn) }
  }
}
