/// The time-outs of a command, which stand still while it sleeps: when they are due, and when it is woken for
/// them.
///
/// It is woken at most once in the floor, so never later than when the timer is due or the floor is over,
/// whichever is later. It joins another program's wake in the last quarter of the floor, as keep-alives do.
struct OwnTimers: Sendable {
  /// The first timer of a program that is about to sleep.
  struct OwnTimer: Equatable, Sendable {
    let due: Moment
    /// What it has left, when that stands still until the thaw.
    let owed: Interval
  }

  /// nil: it is never woken for its timers.
  private(set) var floor: Interval?
  /// Nobody has asked for this floor: it may be lowered.
  private let isAdaptive: Bool
  /// The first timer of a sleeper; nil when it has none.
  private var due: Moment?
  /// How long it must run for that timer after the thaw.
  private var owed = Interval.zero
  /// When it last woke: from then on its timers were heard.
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

  /// From here it joins another wake.
  var opens: Moment { moment { $0.scaled(by: 3, over: 4) } }

  /// Here it is woken.
  var latest: Moment { moment { $0 } }

  private func moment(_ wait: (Interval) -> Interval) -> Moment {
    guard let floor, let due else { return .never }
    return max(due, base + wait(floor))
  }

  /// How long a sleeper that is woken now is left awake, so that a time-out that stood still runs out. A long
  /// one takes several wakes.
  func runTime(_ policy: Policy) -> Interval {
    owed == .zero ? .zero : min(owed, policy.lostConnectionGrace) + policy.idleFirst
  }

  var view: TimerView? {
    due.map { TimerView(due: $0, latest: latest == .never ? nil : latest, floor: floor) }
  }

  /// A peer ended a connection of the sleeper: for how long a timer had been overdue, and the floor from now
  /// on, when it was lowered. nil when no timer was due.
  mutating func lost(at now: Moment, policy: Policy) -> (overdue: Interval, floor: Interval?)? {
    guard let due, due <= now else { return nil }
    guard isAdaptive, let floor, floor > policy.timerFloorLeast else { return (now - due, nil) }
    // A peer's patience is usually one and a half of the client's periods: of three wakes within it one comes
    // between the period's end and the patience's.
    let lowered = min(floor, max(policy.timerFloorLeast, (now - base).scaled(by: 1, over: 3)))
    self.floor = lowered
    return (now - due, lowered)
  }
}

extension App {
  /// Wakes a sleeper for its own timers.
  mutating func runTimers(_ turn: inout Turn) {
    let run = timers.runTime(turn.policy)
    wake(.timer, line: nil, turn.policy.wakeRunTime, &turn)
    retry.wait(until: turn.now + run)
  }

  /// Another program had to be woken for its keep-alive or its timers: what may run now runs with it.
  mutating func joinWake(_ turn: inout Turn) {
    runKeepAlive(&turn)
    if isStaying, isAsleep, timers.opens <= turn.now { runTimers(&turn) }
  }
}
