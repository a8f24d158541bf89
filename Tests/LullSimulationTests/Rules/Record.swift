import LullEngine

/// What anyone who reads the trace knows of one program.
final class Record {
  enum Hold: Equatable {
    case running
    case freezing(Ticket, since: Moment)
    case frozen
  }

  struct Lease: Equatable {
    var ends: Moment
    var ticket: Ticket
    /// Even a command that sleeps by itself keeps it until its end.
    var isFirm = false
    /// What it is shown as.
    var kind = LeaseKind.wake
  }

  /// The time before the next freeze.
  struct Wait: Equatable {
    /// It is not asked for before.
    var from: Moment
    /// It is asked for by then.
    var by: Moment
  }

  /// The first freeze of a command that sleeps by itself.
  enum Trial: Equatable {
    case due
    case watched(Moment)
    case over
  }

  struct Line {
    let id: LineID
    let kind: LineKind
    let offload: Offload
    var origin = LineOrigin.other
    /// Held through a sleep.
    var hasSlept = false
    /// When it last woke the program, or was held.
    var lastReal: Moment
    /// When its pings were answered.
    var answers: [Moment] = []
  }

  struct Task {
    let id: TaskID
    var isExpired = false
  }

  struct KeepAlive {
    var timeout: Interval
    /// When this setting was installed.
    var installed: Moment
    /// When the first of an unbroken row of settings was installed.
    var base: Moment
  }

  let id: AppID
  var registration: Registration
  /// Started as a command.
  let isCommand: Bool
  /// What was said of a command before it spoke through the library.
  var command: Registration?
  let registeredAt: Moment
  var launchedAt: Moment
  var isLaunched = false
  var hasEnteredBackground = false
  /// Where it was last asked to be.
  var target: LaunchTarget
  var state: ApplicationState
  var hold = Hold.running
  var message: (message: DelegateMessage, ticket: Ticket, since: Moment)?
  var wake: Lease?
  var keepAliveRun: Lease?
  var tasks: [Task] = []
  var sounds: [Sound] = []
  var ears: [SoundScope: Ear] = [:]
  /// When it was last said to be heard, or to be so no more.
  var lastHeard: Moment?
  /// The end of the hangover of a call.
  var callFades: Moment?
  /// The end of the start grace.
  var graceEnds: Moment?
  /// The last one in which nothing was heard, and after how long there is another.
  var lastGrace: (began: Moment, period: Interval)?
  /// When it was last left awake because it opened a session.
  var lastOpened: Moment?
  /// Of the last session that was ended and is not deep.
  var lastCategory: AudioCategory?
  var refill = Refill()
  /// The end of the time for tasks; nil in the foreground, and while it stands still.
  var stayEnds: Moment?
  /// What is left of it while it stands still.
  var stayLeft: Interval?
  var lines: [Line] = []
  var keepAlive: KeepAlive?
  var lastRun: Moment?
  /// The last wakes from sleep, no more than the budget needs.
  var wakes: [Moment] = []
  var wakeCount = 0
  /// A wake that was put off.
  var delayedUntil: Moment?
  var vouches = false
  /// After a refused freeze, and before a command is looked at.
  var wait: Wait?
  var refusals: Int64 = 0
  /// The last look took so much of the processor that no other comes before.
  var lookFloor = Moment(nanoseconds: .min)
  /// What its first own timer had left at the last look, if it has as much after a sleep.
  var owed = Interval.zero
  /// What the shell says with the refusal of this step.
  var retryAfter: Interval?
  var trial = Trial.due
  /// When its paths were last kept open, or when it fell asleep.
  var pathsOpened = Moment.never
  /// When it was told to end, or began to, and why.
  var ending: (since: Moment, reason: KillReason)?
  var isKilled = false
  var asleepSince: Moment?
  var asleep = Interval.zero

  init(id: AppID, registration: Registration, now: Moment) {
    self.id = id
    self.registration = registration
    isCommand = !registration.speaks && !registration.isGuest
    registeredAt = now
    launchedAt = now
    state = .notRunning
    hasEnteredBackground = registration.resumes != nil
    target = Self.target(registration)
  }

  static func target(_ registration: Registration) -> LaunchTarget {
    switch registration.resumes {
    case .background, .suspended: .background
    case .active, .inactive, .notRunning: .foreground
    case nil: registration.launch
    }
  }

  var isStaying: Bool { ending == nil && !isKilled }
  var isHeld: Bool { hold != .running }

  /// True when nothing that the trace shows keeps the program awake at `now`.
  func isIdle(at now: Moment) -> Bool {
    mayFreeze && !holds(forbidding(wake), at: now) && !holds(forbidding(keepAliveRun), at: now)
      && !soundHolds(at: now)
  }

  /// True when no more than its run time may keep it awake.
  var mayFreeze: Bool {
    state == .background && isStaying && message == nil && tasks.isEmpty && !registration.isSpared
  }

  /// The lease, unless it only shows how long a command may take to prove that it is idle.
  func forbidding(_ lease: Lease?) -> Lease? {
    guard let lease, lease.isFirm || !registration.sleepsByItself || plays else { return nil }
    return lease
  }

  /// Puts the next freeze off; never forward.
  func waits(from: Moment, by: Moment) {
    wait = Wait(
      from: max(wait?.from ?? from, from, lookFloor), by: max(wait?.by ?? by, by, lookFloor))
  }

  /// A command is left awake for a while after it was started, told to keep alive, or woken by somebody.
  func lingers(_ now: Moment, _ policy: Policy) {
    guard registration.sleepsByItself else { return }
    let moment = now + (registration.linger ?? policy.linger)
    waits(from: moment, by: moment)
  }

  /// The same for the first session, and then once in a while, unless it was heard.
  func opensSession(_ now: Moment, _ policy: Policy) {
    if let last = lastOpened, now - last < policy.audibility.startGracePeriod { return }
    lastOpened = now
    lingers(now, policy)
  }

  /// True when its next complete freeze is the one that shows whether it bears it.
  var isOnTrial: Bool { registration.sleepsByItself && trial == .due }

  func holds(_ lease: Lease?, at now: Moment) -> Bool {
    guard let lease else { return false }
    return lease.ends > now
  }

  /// From when the keep-alive may run beside another that must.
  func opens(_ policy: Policy) -> Moment? {
    guard let keepAlive, isStaying else { return nil }
    guard let lastRun else { return keepAlive.installed }
    let gap = max(policy.keepAliveMinimum, keepAlive.timeout.scaled(by: 3, over: 4))
    return max(keepAlive.installed, lastRun + gap)
  }

  /// When the keep-alive must run whatever the others do.
  func due(_ policy: Policy) -> Moment? {
    guard let keepAlive, let opens = opens(policy) else { return nil }
    return max(opens, (lastRun ?? keepAlive.base) + keepAlive.timeout)
  }

  /// When the keep-alive runs by itself: a program that is awake anyway costs no wake.
  func runsAlone(_ policy: Policy) -> Moment? {
    isHeld || lastRun == nil ? due(policy) : opens(policy)
  }

  func isOverBudget(at now: Moment, _ policy: Policy) -> Bool {
    guard wakes.count > policy.wakeBudget else { return false }
    return now - wakes[wakes.count - 1 - policy.wakeBudget] <= policy.wakeBudgetPeriod
  }
}
