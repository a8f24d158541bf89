import LullEngine

// Own timers, some of which have the same rest after a sleep as before it.
extension Record {
  /// Takes the own timers of an observation.
  func sees(_ observation: Observation, _ policy: Policy) {
    var timers = observation.threads.compactMap { thread in
      thread.timeOut.map { (left: $0, standsStill: thread.standsStill) }
    }
    if let timer = observation.timer { timers.append((timer, false)) }
    let first = timers.filter { $0.left >= policy.tick }.min { $0.left < $1.left }
    owed = first?.standsStill == true ? first?.left ?? .zero : .zero
  }

  /// Leaves the program awake for the rest of a time-out after a wake for its timers.
  func settles(_ now: Moment, _ policy: Policy) {
    lingers(now, policy)
    guard registration.sleepsByItself, owed > .zero else { return }
    let end = now + min(owed, policy.lostConnectionGrace)
    waits(from: end, by: end + policy.idleFirst)
  }
}
