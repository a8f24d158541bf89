/// The time-outs of a command, which stand still while it sleeps: their due time, and the wake for them.
///
/// The command is woken at most once in the floor: when the timer is due or the floor is over, whichever is
/// later. It joins another program's wake in the last quarter of the floor, as keep-alives do.
struct OwnTimers: Sendable {
  struct Ahead: Equatable, Sendable {
    /// The moment at which the first timer whose time can be read is due.
    var due: Moment?
    /// The rest of that timer, when it stands still until the thaw.
    var owed = Interval.zero
    /// There may be timers that raise a signal at a time that cannot be read.
    var hasHidden = false
    /// The time-outs that a freeze cuts off and that begin anew with their whole length.
    var anew: [Interval] = []
  }

  /// nil never wakes the command for its timers.
  private(set) var floor: Interval?
  /// Nobody has asked for this floor, so it may be lowered.
  private let isAdaptive: Bool
  private var ahead = Ahead()
  /// The last wake: from then on the timers of the program ran.
  private var base: Moment
  /// The last look at the signals of a sleeper with hidden timers, or the beginning of its sleep.
  private var looked: Moment?
  private(set) var nextLook = Moment.never
  private var sleptAt: Moment
  /// The last sleep cut off a time-out of the same length as the sleep before it: a program that counts the
  /// time itself asks for another length each time.
  private var isCutAgain = false
  /// The time-outs that were over when the program was last woken for its timers.
  private var cutOff: [Interval] = []

  init(rule: TimerRule, now: Moment, policy: Policy) {
    (base, sleptAt) = (now, now)
    switch rule {
    case .automatic: (floor, isAdaptive) = (policy.timerFloor, true)
    case .floor(let floor): (self.floor, isAdaptive) = (floor, false)
    case .never: (floor, isAdaptive) = (nil, false)
    }
  }

  /// A time-out that stands still runs out later by the whole sleep. Where the wake for it is long enough,
  /// the sleep is no longer than the floor.
  mutating func slept(_ ahead: Ahead, at now: Moment, policy: Policy) {
    isCutAgain = ahead.anew.contains { self.ahead.anew.contains($0) }
    (self.ahead, sleptAt) = (ahead, now)
    if let floor, ahead.owed > floor, ahead.owed <= policy.lostConnectionGrace {
      self.ahead.due = now + floor
    }
    guard ahead.hasHidden else { return }
    looked = now
    if let floor { nextLook = base + floor > now ? base + floor : now + floor }
  }

  /// A time-out that each wake cuts off again has not run: the wake for the timers is as far as before.
  mutating func woke(_ reason: WakeReason, at now: Moment) {
    cutOff = reason == .timer ? ahead.anew.filter { sleptAt + $0 <= now } : []
    if reason == .timer || !isCutAgain { base = now }
    ahead = Ahead(anew: ahead.anew)
    (looked, nextLook) = (nil, .never)
  }

  /// A program that could sleep again is left awake for this time, once, so that a time-out runs out: it was
  /// over when the program was woken for it, and was begun anew.
  mutating func toRunOut(_ next: Ahead) -> Interval? {
    defer { cutOff = [] }
    return next.anew.filter(cutOff.contains).max()
  }

  /// The moment from which on any turn looks at the signals; `never` without hidden timers.
  func looksAlong(_ policy: Policy) -> Moment { looked.map { $0 + policy.signalLook } ?? .never }

  /// A look in the last quarter of the floor takes the place of the one that is due then, so that programs
  /// fall into step.
  mutating func looks(at now: Moment) {
    looked = now
    if let floor, nextLook <= now + floor.scaled(by: 1, over: 4) { nextLook = now + floor }
  }

  /// The first moment at which the command joins another wake.
  var opens: Moment { moment { $0.scaled(by: 3, over: 4) } }

  var latest: Moment { moment { $0 } }

  private func moment(_ wait: (Interval) -> Interval) -> Moment {
    guard let floor, let due = ahead.due else { return .never }
    return max(due, base + wait(floor))
  }

  /// A sleeper that is woken now is left awake for this time, so that a time-out that stood still runs out. A
  /// long time-out takes several wakes.
  func runTime(_ policy: Policy) -> Interval {
    ahead.owed == .zero ? .zero : min(ahead.owed, policy.lostConnectionGrace) + policy.idleFirst
  }

  var view: TimerView? {
    guard ahead.due != nil || looked != nil else { return nil }
    return TimerView(
      due: ahead.due, latest: latest == .never ? nil : latest, isHidden: looked != nil,
      looks: nextLook == .never ? nil : nextLook, floor: floor)
  }

  /// A peer ended a connection of the sleeper. Returns the time for which a timer had been overdue, and the
  /// new floor, when it was lowered; nil when no timer was due.
  mutating func lost(at now: Moment, policy: Policy) -> (overdue: Interval, floor: Interval?)? {
    guard let due = ahead.due, due <= now else { return nil }
    guard isAdaptive, let floor, floor > policy.timerFloorLeast else { return (now - due, nil) }
    // A peer's patience is usually one and a half of the client's periods. Of three wakes within that time
    // one comes between the end of the period and the end of the patience.
    let lowered = min(floor, max(policy.timerFloorLeast, (now - base).scaled(by: 1, over: 3)))
    self.floor = lowered
    return (now - due, lowered)
  }
}
