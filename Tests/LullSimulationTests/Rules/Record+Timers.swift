import LullEngine

// Own timers, some of which have the same rest after a sleep as before it.
extension Record {
  /// Takes the own timers of an observation.
  func sees(_ observation: Observation, _ policy: Policy) {
    let first = observation.ownTimers(policy).first
    owed = first?.course == .standsStill ? first?.left ?? .zero : .zero
    anew = observation.threads.compactMap { $0.course == .beginsAnew ? $0.timeOut : nil }.filter {
      $0 >= policy.tick
    }
  }

  /// Leaves the program awake for a time-out that has begun anew.
  func runsOut(_ now: Moment, _ policy: Policy) {
    waits(from: now, by: now + (anew.max() ?? .zero) + policy.idleFirst)
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
  func ownTimers(_ policy: Policy) -> [(left: Interval, course: TimeOutCourse)] {
    var timers = threads.compactMap { thread in
      thread.timeOut.map { (left: $0, whole: max($0, thread.period ?? $0), course: thread.course) }
    }
    if let timer { timers.append((timer, timer, .goesOn)) }
    return timers.filter { $0.whole >= policy.tick }.sorted { $0.left < $1.left }.map {
      ($0.left, $0.course)
    }
  }
}
