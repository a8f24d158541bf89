/// The use of the processor from one look to the next: it tells a program that works in short naps from one
/// that only ticks.
struct WorkMemory: Sendable {
  /// The beginning of the window over which the use is taken, and what had been used by then.
  private var begin: (moment: Moment, used: Interval)?
  private var last: Interval?
  /// True when a whole window since the last wake has shown no work.
  private var rests = false

  /// The refusal for a program that has used more than a small share of a processor. The handling of one wake
  /// is no steady work, hence the window; one that `ticks` is looked at again when its window is over.
  mutating func evaluate(_ used: Interval?, ticks: Bool, at now: Moment, policy: Policy) -> Finding? {
    guard let used else { return nil }
    last = used
    let (since, before) = begin ?? (now, used)
    // Processes that have ended take their time with them where there is no cgroup.
    guard before <= used, now >= since else {
      begin = (now, used)
      return nil
    }
    let window = now - since
    guard window >= policy.workWindow else {
      begin = (since, before)
      return ticks && !rests ? .busy(.ticking, .none, retryAfter: policy.workWindow - window) : nil
    }
    begin = (now, used)
    let share = (used - before).scaled(by: 100, over: window.nanoseconds).nanoseconds
    rests = share < policy.workShare
    return rests ? nil : .busy(.notIdle, .processor(percent: share))
  }

  /// A sleeper uses no processor.
  mutating func woke(at now: Moment) {
    begin = last.map { (now, $0) }
    rests = false
  }

  mutating func standStill(_ time: Interval) {
    begin = begin.map { ($0.moment + time, $0.used) }
  }
}
