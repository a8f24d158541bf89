/// The time-outs of a command, which stand still while it sleeps: their due time, and the wake for them.
///
/// The command is woken at most once in the floor: when the timer is due or the floor is over, whichever is
/// later. It joins another program's wake in the last quarter of the floor, as keep-alives do.
struct OwnTimers: Sendable {
  /// The first timer of a program that is about to sleep.
  struct OwnTimer: Equatable, Sendable {
    let due: Moment
    /// The rest of its time-out, when that stands still until the thaw.
    let owed: Interval
  }

  /// The floor; nil never wakes the command for its timers.
  private(set) var floor: Interval?
  /// True when nobody has asked for this floor: the floor may be lowered.
  private let isAdaptive: Bool
  /// The due time of the first timer of a sleeper; nil when it has none.
  private var due: Moment?
  /// The run time that this timer needs after the thaw.
  private var owed = Interval.zero
  /// The last wake: from then on the timers of the program ran.
  private var base: Moment

  init(rule: TimerRule, now: Moment, policy: Policy) {
    base = now
    switch rule {
    case .automatic: (floor, isAdaptive) = (policy.timerFloor, true)
    case .floor(let floor): (self.floor, isAdaptive) = (floor, false)
    case .never: (floor, isAdaptive) = (nil, false)
    }
  }

  mutating func slept(_ timer: OwnTimer?) { (due, owed) = (timer?.due, timer?.owed ?? .zero) }

  mutating func woke(at now: Moment) { (base, due) = (now, nil) }

  /// The first moment at which the command joins another wake.
  var opens: Moment { moment { $0.scaled(by: 3, over: 4) } }

  /// The moment at which the command is woken.
  var latest: Moment { moment { $0 } }

  private func moment(_ wait: (Interval) -> Interval) -> Moment {
    guard let floor, let due else { return .never }
    return max(due, base + wait(floor))
  }

  /// The time for which a sleeper that is woken now is left awake, so that a time-out that stood still runs
  /// out. A long time-out takes several wakes.
  func runTime(_ policy: Policy) -> Interval {
    owed == .zero ? .zero : min(owed, policy.lostConnectionGrace) + policy.idleFirst
  }

  var view: TimerView? {
    due.map { TimerView(due: $0, latest: latest == .never ? nil : latest, floor: floor) }
  }

  /// A peer ended a connection of the sleeper. Returns the time for which a timer had been overdue, and the
  /// new floor, when it was lowered; nil when no timer was due.
  mutating func lost(at now: Moment, policy: Policy) -> (overdue: Interval, floor: Interval?)? {
    guard let due, due <= now else { return nil }
    guard isAdaptive, let floor, floor > policy.timerFloorLeast else { return (now - due, nil) }
    // A peer's patience is usually one and a half of the client's periods. Of three wakes within that time
    // one comes between the end of the period and the end of the patience.
    let lowered = min(floor, max(policy.timerFloorLeast, (now - base).scaled(by: 1, over: 3)))
    self.floor = lowered
    return (now - due, lowered)
  }
}
