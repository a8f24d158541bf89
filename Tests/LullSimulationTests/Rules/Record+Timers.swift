import LullEngine

// Own timers, some of which have the same rest after a sleep as before it.
extension Record {
  /// Takes the own timers of an observation.
  func sees(_ observation: Observation, _ policy: Policy) {
    let first = observation.ownTimers(policy).first
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

extension Observation {
  /// The own timers, the first one first. A time-out of less than a second in all is a tick.
  func ownTimers(_ policy: Policy) -> [(left: Interval, standsStill: Bool)] {
    var timers = threads.compactMap { thread in
      thread.timeOut.map { (left: $0, whole: max($0, thread.period ?? $0), standsStill: thread.standsStill) }
    }
    if let timer { timers.append((timer, timer, false)) }
    return timers.filter { $0.whole >= policy.tick }.sorted { $0.left < $1.left }.map {
      ($0.left, $0.standsStill)
    }
  }
}
