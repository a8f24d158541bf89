/// An installed program: whether it runs, and when it is started if it does not (Background Execution,
/// "Implementing a VoIP App": the system relaunches the app at boot, and "if your app exits with a non-zero
/// exit code").
struct InstalledProgram: Sendable {
  /// The stage of its life.
  enum Stage: Equatable, Sendable {
    /// It has registered. Until its start is over, others wait for their turn; a start is taken to be over at
    /// `startEnds`, and is over where that is nil.
    case running(AppID, startEnds: Moment?)
    /// The shell starts it.
    case starting(LaunchReason)
    /// It is started when its turn comes.
    case due(LaunchReason)
    /// The wait after a crash, or after a start that failed.
    case waiting(until: Moment, LaunchReason)
    /// It could not be started because of a mistake in its file.
    case mistaken(LaunchReason)
    /// It ended by itself, or was never started.
    case ended
    /// It was force-quit.
    case quit
  }

  let name: String
  var stage: Stage
  /// False for one whose file cannot be used as it is now: it would not come back.
  var isLaunchable = true
  /// Crashes and failed starts in a row.
  private(set) var crashes = 0
  /// The last start failed.
  private(set) var hasFailed = false
  /// Its keep-alive; of one that runs as it was when the program last ended.
  private(set) var keepAlive: KeepAliveWindow?
  /// The keep-alive without the start that counts as its run, until the program comes: a handler runs then.
  private var owed: KeepAliveWindow?
  /// The reason of its last start.
  private(set) var lastReason = LaunchReason.user
  /// The beginning of its life, or of its last one.
  private var cameAt: Moment?

  init(
    name: String, stage: Stage, _ past: InstalledPast = InstalledPast(), at now: Moment = .never,
    _ policy: Policy = Policy()
  ) {
    (self.name, self.stage) = (name, stage)
    (crashes, lastReason) = (past.crashes, past.reason ?? .user)
    cameAt = past.cameAt.map { min($0, now) }
    guard let timeout = past.keepAlive, policy.refusal(ofKeepAlive: timeout) == nil else { return }
    // A moment to come would keep the program from being started at all.
    let since = min(past.keepAliveSince ?? now, now)
    keepAlive = KeepAliveWindow(
      timeout: min(timeout, policy.longest), now: now, base: since,
      lastRun: past.hasKeptAlive ? since : nil, policy: policy)
  }

  /// True while its start counts among those at once.
  var isStarting: Bool {
    switch stage {
    case .starting, .running(_, startEnds: .some): true
    case .running, .due, .waiting, .mistaken, .ended, .quit: false
    }
  }

  /// True for one that has crashed at each of its last starts.
  func diesAtEachStart(_ policy: Policy) -> Bool { crashes >= policy.crashesInRow }

  /// The next moment at which it has something to do by itself.
  var deadline: Moment {
    switch stage {
    case .running(_, let startEnds): startEnds ?? .never
    case .waiting(let until, _): min(until, alarm)
    case .starting, .due, .mistaken, .ended, .quit: alarm
    }
  }

  /// The moment at which it is started for its keep-alive.
  var alarm: Moment {
    switch stage {
    case .waiting, .ended: keepAlive?.due ?? .never
    case .running, .starting, .due, .mistaken, .quit: .never
    }
  }

  /// What the next engine is to begin with.
  var memory: InstalledBeginning {
    switch stage {
    case .running: .lost
    case .starting, .due, .waiting, .mistaken: .waiting
    case .ended: .ended
    case .quit: .quit
    }
  }

  /// What else the next engine is to know. The keep-alive of one that runs is the program's own.
  var past: InstalledPast {
    let reason =
      switch stage {
      case .starting(let reason), .due(let reason), .waiting(_, let reason), .mistaken(let reason): reason
      case .running, .ended, .quit: lastReason
      }
    // Elsewhere the next engine would start the program for it at once.
    let keepAlive = isOnItsWay ? owed ?? keepAlive : keepAlive
    let since = keepAlive.map { $0.lastRun ?? $0.due - $0.timeout }
    return InstalledPast(
      reason: reason, crashes: crashes, cameAt: cameAt, keepAlive: keepAlive?.timeout, keepAliveSince: since,
      hasKeptAlive: keepAlive?.lastRun != nil)
  }

  private var isOnItsWay: Bool {
    switch stage {
    case .starting, .due: true
    case .running, .waiting, .mistaken, .ended, .quit: false
    }
  }

  // MARK: Changes

  mutating func came(_ id: AppID, at now: Moment, _ policy: Policy) {
    if case .starting(let reason) = stage { lastReason = reason } else { lastReason = .user }
    stage = .running(id, startEnds: now + policy.commandStart)
    (hasFailed, cameAt) = (false, now)
    if let owed { (keepAlive, self.owed) = (owed, nil) }
  }

  /// It has run since a launch for this reason, under an engine before this one.
  mutating func returned(_ id: AppID, for reason: LaunchReason, at now: Moment) {
    stage = .running(id, startEnds: nil)
    (hasFailed, cameAt, lastReason) = (false, cameAt ?? now, reason)
  }

  /// Takes the keep-alive of the program that has ended. One that ended in its launch had not set it yet; one
  /// that was in the foreground was not woken for it, and is not started for it at once.
  mutating func keep(_ window: KeepAliveWindow?, wasLaunched: Bool, at now: Moment, _ policy: Policy) {
    let isNew = window != nil || wasLaunched
    if isNew { keepAlive = window }
    guard let due = keepAlive?.due, due <= now else { return }
    if !isNew { owes(at: now) }
    keepAlive?.ran(at: now, policy: policy)
  }

  /// The program crashed. Returns the wait.
  mutating func crashed(at now: Moment, _ policy: Policy) -> Interval {
    if let cameAt, now - cameAt >= policy.crashForgotten { crashes = 0 }
    return waits(for: .crash, at: now, policy)
  }

  /// It was not started, or ended at once. Returns the wait.
  mutating func failed(for reason: LaunchReason, at now: Moment, _ policy: Policy) -> Interval {
    hasFailed = true
    return waits(for: reason, at: now, policy)
  }

  /// Its file has a mistake: somebody must mend it first.
  mutating func mistaken(for reason: LaunchReason) { (stage, hasFailed) = (.mistaken(reason), false) }

  private mutating func waits(for reason: LaunchReason, at now: Moment, _ policy: Policy) -> Interval {
    crashes += 1
    let wait = Self.wait(after: crashes, policy)
    stage = .waiting(until: now + wait, reason)
    return wait
  }

  /// The wait after so many crashes in a row.
  static func wait(after crashes: Int, _ policy: Policy) -> Interval {
    policy.crashWaitFirst.doubled(Int64(crashes) - 1, atMost: policy.crashWaitLast)
  }

  /// Forgets what went wrong: the user wants it to run.
  mutating func forgiven() { (crashes, hasFailed) = (0, false) }

  /// True when its keep-alive must run, and it does not run itself.
  func owesKeepAlive(at now: Moment) -> Bool {
    mayRunKeepAlive(at: now) && keepAlive.map { $0.due <= now } ?? false
  }

  /// True when its keep-alive may run beside another, and it does not run itself.
  func mayRunKeepAlive(at now: Moment) -> Bool {
    switch stage {
    case .waiting, .ended: keepAlive.map { $0.opens <= now } ?? false
    case .running, .starting, .due, .mistaken, .quit: false
    }
  }

  /// Its start counts as the run of its keep-alive.
  mutating func runKeepAlive(at now: Moment, _ policy: Policy) {
    owes(at: now)
    keepAlive?.ran(at: now, policy: policy)
    switch stage {
    case .ended: stage = .due(.keepalive)
    case .waiting(let until, _):
      stage = diesAtEachStart(policy) ? .waiting(until: until, .keepalive) : .due(.keepalive)
    case .running, .starting, .due, .mistaken, .quit: break
    }
  }

  /// The handler of a keep-alive that may run now is to run when the program has come.
  private mutating func owes(at now: Moment) {
    guard owed == nil, let keepAlive, keepAlive.opens <= now else { return }
    owed = keepAlive
    owed?.mustRun(at: now)
  }
}
