import LullEngine

/// The state of a program, as a reader of the trace knows it.
final class Record {
  enum Hold: Equatable {
    case running
    case freezing(Ticket, since: Moment)
    case frozen
  }

  struct Lease: Equatable {
    var ends: Moment
    var ticket: Ticket
    /// The lease is held until expiry, even by a command that sleeps by itself.
    var isHeldUntilExpiry = false
    var kind = LeaseKind.wake
  }

  /// The time before the next freeze.
  struct Wait: Equatable {
    /// The freeze is not asked for before this moment.
    var from: Moment
    /// The freeze is asked for by this moment.
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
    let kind: LinePurpose
    let offload: Offload
    var origin = LineOrigin.other
    var hasSlept = false
    /// The last time at which the line woke the program, or at which the line was held.
    var lastReal: Moment
    var answers: [Moment] = []
  }

  struct Task {
    let id: TaskID
    var isExpired = false
  }

  struct KeepAlive {
    var timeout: Interval
    var installed: Moment
    /// The moment of the first of an unbroken row of settings.
    var base: Moment
  }

  let id: AppID
  var registration: Registration
  var isRecordingDenied = false
  let isCommand: Bool
  /// The registration of a command from the time before it spoke through the library.
  var command: Registration?
  let registeredAt: Moment
  var launchedAt: Moment
  var isLaunched = false
  var hasEnteredBackground = false
  /// The place where the program was last asked to be.
  var target: LaunchTarget
  var state: ApplicationState
  var behindSince: Moment
  var hold = Hold.running
  var message: (message: DelegateMessage, ticket: Ticket, since: Moment)?
  var wake: Lease?
  var keepAliveRun: Lease?
  var fetch: Lease?
  var pushes: [Lease] = []
  var tasks: [Task] = []
  var sounds: [Sound] = []
  var ears: [AudioScope: Ear] = [:]
  /// The last report that the program is sounding, or that its sound has ended.
  var lastHeard: Moment?
  var callFades: Moment?
  var graceEnds: Moment?
  /// The last grace without audible sound, and the time after it in which there is no other.
  var lastGrace: (began: Moment, period: Interval)?
  /// The last time that the program was left awake because it opened a session.
  var lastOpened: Moment?
  /// The category of the session that ended last and was not deep.
  var lastCategory: AudioCategory?
  var refill = Refill()
  /// The end of the time for tasks; nil in the foreground, and while it stands still.
  var stayEnds: Moment?
  var stayLeft: Interval?
  var lines: [Line] = []
  var keepAlive: KeepAlive?
  var lastRun: Moment?
  /// The last wakes from sleep, no more than the budget needs.
  var wakes: [Moment] = []
  var wakeCount = 0
  var delayedUntil: Moment?
  var isAtMessageBoundary = false
  /// The wait after a refused freeze, and before the observation of a command.
  var wait: Wait?
  var refusals: Int64 = 0
  var lookCost = Interval.zero
  /// The moment before which no observation comes, because of the last one's processor time.
  var observationFloor = Moment(nanoseconds: .min)
  /// The rest of its first own timer at the last observation, if the rest is the same after a sleep.
  var owed = Interval.zero
  /// The time-outs at the last observation that a freeze cuts off and that begin anew.
  var anew: [Interval] = []
  /// The time that the shell adds to the refusal of this step.
  var retryAfter: Interval?
  var trial = Trial.due
  /// The last time that its paths were kept open, or that the program fell asleep.
  var pathsOpened = Moment.never
  /// The moment at which the program was told to end, or began to, and the reason.
  var ending: (since: Moment, reason: KillReason)?
  var isKilled = false
  var asleepSince: Moment?
  /// The part of its sleep in which the machine was suspended.
  var stoodAsleep = Interval.zero
  var asleep = Interval.zero

  init(id: AppID, registration: Registration, now: Moment) {
    self.id = id
    self.registration = registration
    isCommand = !registration.speaks && !registration.isUnmanaged
    registeredAt = now
    launchedAt = now
    state = .notRunning
    behindSince = now
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

  func timeAsleep(at now: Moment) -> Interval? { asleepSince.map { now - $0 } }

  /// True when nothing that the trace shows keeps the program awake at `now`.
  func isIdle(at now: Moment) -> Bool {
    mayFreeze && !holds(forbidding(wake), at: now) && !holds(forbidding(keepAliveRun), at: now)
      && !holds(forbidding(fetch), at: now) && !holds(forbidding(push), at: now) && !soundHolds(at: now)
  }

  /// The push whose time ends last.
  var push: Lease? { pushes.max { $0.ends < $1.ends } }

  /// True when no more than its run time may keep it awake.
  var mayFreeze: Bool {
    state == .background && isStaying && message == nil && tasks.isEmpty && !registration.isFreezeExempt
  }

  /// The lease, unless it only bounds the time in which a command may prove that it is idle.
  func forbidding(_ lease: Lease?) -> Lease? {
    guard let lease, lease.isHeldUntilExpiry || !registration.sleepsByItself || plays else { return nil }
    return lease
  }

  /// The next freeze is only ever put off.
  func waits(from: Moment, by: Moment) {
    wait = Wait(
      from: max(wait?.from ?? from, from, observationFloor), by: max(wait?.by ?? by, by, observationFloor))
  }

  /// A command is left awake for a while after it was started, told to keep alive, or woken by somebody.
  func lingers(_ now: Moment, _ policy: Policy) {
    guard registration.sleepsByItself else { return }
    let moment = now + (registration.settings.linger ?? policy.linger)
    waits(from: moment, by: moment)
  }

  /// The first session leaves a command awake as well, and another one once in a while unless the program was
  /// sounding.
  func opensSession(_ now: Moment, _ policy: Policy) {
    if let last = lastOpened, now - last < policy.audibility.startGracePeriod { return }
    lastOpened = now
    lingers(now, policy)
  }

  var isOnTrial: Bool { registration.sleepsByItself && trial == .due }

  func holds(_ lease: Lease?, at now: Moment) -> Bool {
    guard let lease else { return false }
    return lease.ends > now
  }

  /// The first moment at which the keep-alive may run beside another that must.
  func opens(_ policy: Policy) -> Moment? {
    guard let keepAlive, isStaying else { return nil }
    guard let lastRun else { return keepAlive.installed }
    let gap = max(policy.keepAliveMinimum, keepAlive.timeout.scaled(by: 3, over: 4))
    return max(keepAlive.installed, lastRun + gap)
  }

  func due(_ policy: Policy) -> Moment? {
    guard let keepAlive, let opens = opens(policy) else { return nil }
    return max(opens, (lastRun ?? keepAlive.base) + keepAlive.timeout)
  }

  /// The moment at which the keep-alive runs without another: a program that is awake costs no wake.
  func runsAlone(_ policy: Policy) -> Moment? {
    guard isBehind else { return nil }
    return isHeld || lastRun == nil ? due(policy) : opens(policy)
  }

  func isOverBudget(at now: Moment, _ policy: Policy) -> Bool {
    guard wakes.count > policy.wakeBudget else { return false }
    return now - wakes[wakes.count - 1 - policy.wakeBudget] <= policy.wakeBudgetPeriod
  }
}

extension Record {
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

  /// Moves every limit by a time in which no program could run.
  func standStill(_ time: Interval) {
    launchedAt = launchedAt + time
    stoodAsleep = stoodAsleep + time
    message = message.map { ($0.message, $0.ticket, $0.since + time) }
    ending = ending.map { ($0.since + time, $0.reason) }
    stayEnds = stayEnds.map { $0 + time }
    wake = wake.map { $0.later(time) }
    keepAliveRun = keepAliveRun.map { $0.later(time) }
    fetch = fetch.map { $0.later(time) }
    pushes = pushes.map { $0.later(time) }
    wait = wait.map { Wait(from: $0.from + time, by: $0.by + time) }
    if case .freezing(let ticket, let since) = hold { hold = .freezing(ticket, since: since + time) }
    if case .watched(let since) = trial { trial = .watched(since + time) }
    ears = ears.mapValues { Ear(isHeard: $0.isHeard, fades: $0.fades.map { $0 + time }) }
    callFades = callFades.map { $0 + time }
    graceEnds = graceEnds.map { $0 + time }
    refill.wokenAt = refill.wokenAt.map { $0 + time }
    refill.next = refill.next + time
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

extension Record.Lease {
  fileprivate func later(_ time: Interval) -> Record.Lease {
    var lease = self
    lease.ends = ends + time
    return lease
  }
}
