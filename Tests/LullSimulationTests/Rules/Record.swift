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
  }

  struct Line {
    let id: LineID
    let kind: LineKind
    let offload: Offload
    /// When it last woke the program, or was held.
    var lastReal: Moment
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
  /// The end of the time for tasks; nil in the foreground.
  var stayEnds: Moment?
  var lines: [Line] = []
  var keepAlive: KeepAlive?
  var lastRun: Moment?
  /// The last wakes from sleep, no more than the budget needs.
  var wakes: [Moment] = []
  var wakeCount = 0
  /// A wake that was put off.
  var delayedUntil: Moment?
  var vouches = false
  /// No new freeze before this, after a refused one.
  var retry: Moment?
  var refusals: Int64 = 0
  /// When it was told to end, or began to, and why.
  var ending: (since: Moment, reason: KillReason)?
  var isKilled = false
  var asleepSince: Moment?
  var asleep = Interval.zero

  init(id: AppID, registration: Registration, now: Moment) {
    self.id = id
    self.registration = registration
    registeredAt = now
    launchedAt = now
    state = .notRunning
    hasEnteredBackground = registration.resumes != nil
    target = Self.target(registration)
  }

  static func target(_ registration: Registration) -> LaunchTarget {
    switch registration.resumes {
    case .background, .suspended: .background
    case .active, .inactive: .foreground
    case .notRunning, nil: registration.launch
    }
  }

  var isStaying: Bool { ending == nil && !isKilled }
  var isHeld: Bool { hold != .running }

  /// True when nothing that the trace shows keeps the program awake at `now`.
  func isIdle(at now: Moment) -> Bool {
    state == .background && isStaying && message == nil && tasks.isEmpty && !holds(wake, at: now)
      && !holds(keepAliveRun, at: now)
  }

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
