struct App: Sendable {
  enum Sleep: Sendable {
    case awake
    /// The program is frozen or about to be, and not observed yet.
    case freezing(Ticket, limit: Moment)
    /// The program was found idle; the shell begins to watch its wake sources.
    case arming(Ticket, limit: Moment, timers: OwnTimers.Ahead)
    case asleep
  }

  enum Exit: Sendable {
    case staying
    /// The program is killed at the limit.
    case ending(KillReason, limit: Moment)
    case killed(KillReason)
  }

  /// The run time of a program ends at `ends`, or at a `done` whose ticket is not older than this one.
  struct Lease: Sendable {
    var ends: Moment
    var ticket: Ticket
    var kind = LeaseKind.wake
    /// Run time of a command that is not held only bounds the time in which the command is observed.
    var isHeldUntilExpiry = false
  }

  /// The first freeze of a command, undone at once, because a few commands die of a freeze.
  enum Trial: Sendable {
    case due
    /// The command was thawed at this moment, and is watched since.
    case watched(Moment)
    case over
  }

  struct HeldLine: Sendable {
    let id: LineID
    let purpose: LinePurpose
    let offload: Offload
    var origin = LineOrigin.other
    /// The line has been held through a sleep. The loss of a connection that comes and goes in one run is
    /// nothing to wait for.
    var hasSlept = false
    /// The last time at which the line woke the program, or at which the line was held.
    var lastReal: Moment
    var answers = AnsweredPings()
  }

  let id: AppID
  var registration: Registration
  /// A command outlives its connection to the library.
  let isCommand: Bool
  /// The registration of a command from the time before it spoke through the library.
  var commandRegistration: Registration?
  var state: ApplicationState
  var target: LaunchTarget
  var isLaunched = false
  var launchEnds: Moment
  var hasEnteredBackground = false
  var sleep = Sleep.awake
  var exit = Exit.staying
  /// The limit that was put off while the program was traced.
  var movedLimit: Moment?
  /// The last moment at which somebody sent the program a signal that asks for its end.
  var askedToEnd: Moment?
  var mail = DelegateMail()
  /// The links and pushes that are told when the mail is empty.
  var posts: [Post] = []
  var wakeLease: Lease?
  var keepAliveLease: Lease?
  var lines: [HeldLine] = []
  var keepAlive: KeepAliveWindow?
  var keepAliveAtEnd: KeepAliveWindow?
  /// The start of the time-out of a handler that has not run yet.
  var keepAliveBase = Moment.never
  /// Stays when the keep-alive is cleared, so that a program that sets it anew does not shorten the gap.
  var lastKeepAliveRun: Moment?
  var fetches: FetchWindow?
  var errands: [Errand] = []
  /// The program was launched for a fetch, and has not been told of it yet.
  var owesFetch = false
  var tasks = TaskList()
  var wakes = WakeHistory()
  var memory = MemoryCare()
  var weight = ProgramWeight.full
  /// The wake that `batchWakes` has put off.
  var delayedWake: (moment: Moment, reason: WakeReason, line: LineID)?
  /// The program went to sleep by its own `done`: each of its offloaded lines stands at a message boundary.
  var isAtMessageBoundary = false
  var retry = FreezeRetry()
  var trial = Trial.due
  var idleness = Idleness()
  var queries = QueryMemory()
  var timers: OwnTimers
  /// The end of the time in which the program may be looking for this supervisor.
  var searchEnds: Moment?
  var wakeTimer = Moment.never
  var pathsDue = Moment.never
  var account: Account
  var playbacks: [Playback] = []
  /// The category of the session that ended last and was not deep. Its sound lasts for the hangover.
  var lastCategory: AudioCategory?
  var hearing = Hearing()
  /// The silence of the session that was still playing when the program last fell asleep.
  var cutOffPause: Interval?
  var startGrace = StartGrace()
  var silentRefills = SilentRefills()
  /// The user's choices of which the program has not been told yet.
  var choices: [NotificationChoice] = []
  var missedRoute = false
  /// The user has denied that the program records.
  var isRecordingDenied = false
  /// The last observation found that it records past its audio sessions.
  var recordsStraight = false
  /// It recorded in the background when sound was arranged last.
  var recordsBehind = false
  /// The surroundings of which the program was told last.
  var seen = Surroundings()
  var hasNewSettings = false
  /// The program was in the foreground when another program's call began, and has not been asked for since.
  var isBehindCall = false
  /// False once the program was asked to close the files that the lock protects.
  var hasProtectedData = true

  init(id: AppID, registration: Registration, now: Moment, policy: Policy) {
    let registration = registration.bounded(by: policy)
    self.id = id
    self.registration = registration
    isCommand = !registration.speaks && !registration.isUnmanaged
    target = registration.target
    state = .notRunning
    launchEnds = now + policy.launchLimit
    askedToEnd = registration.askedToEnd.map { min($0, now) }
    if let reason = registration.ending { exit = .ending(reason, limit: now + policy.terminateLimit) }
    account = Account(since: now)
    timers = OwnTimers(rule: registration.settings.timers, now: now, policy: policy)
  }

  var isAwake: Bool { if case .awake = sleep { true } else { false } }
  var isAsleep: Bool { if case .asleep = sleep { true } else { false } }
  var isStaying: Bool { if case .staying = exit { true } else { false } }
  var isInBackground: Bool { state == .background || state == .suspended }

  var freezeLimit: Moment? {
    switch sleep {
    case .freezing(_, let limit), .arming(_, let limit, _): limit
    case .awake, .asleep: nil
    }
  }

  /// The leases are in the order of `LeaseKind`.
  func leases(_ policy: Policy) -> [LeaseView] {
    var held: [LeaseView] = []
    if !mail.isEmpty || !isStaying {
      let limit = mail.outstanding?.limit ?? .never
      held.append(LeaseView(kind: isLaunched ? .transition : .launching, ends: limit == .never ? nil : limit))
    }
    if let wakeLease, wakeLease.kind == .wake { held.append(LeaseView(kind: .wake, ends: wakeLease.ends)) }
    if let keepAliveLease { held.append(LeaseView(kind: .keepalive, ends: keepAliveLease.ends)) }
    for kind in [LeaseKind.fetch, .push] {
      let ends = errands.lazy.filter { $0.kind == kind }.map(\.ends).max()
      if let ends { held.append(LeaseView(kind: kind, ends: ends)) }
    }
    if state == .background, !tasks.isEmpty { held.append(LeaseView(kind: .task, ends: tasks.ends)) }
    held += soundLeases()
    if let wakeLease, wakeLease.kind != .wake {
      held.append(LeaseView(kind: wakeLease.kind, ends: wakeLease.ends))
    }
    return held
  }

  var mayFreeze: Bool {
    state == .background && isAwake && isStaying && mail.isEmpty && tasks.isEmpty
      && !registration.isFreezeExempt
      && !forbidsFreeze(wakeLease) && !forbidsFreeze(keepAliveLease)
      && (errands.isEmpty || registration.sleepsByItself && !isBeginningToPlay)
      && !soundForbidsFreeze
  }

  /// A command cannot say `done`, so it may sleep before its run time is over, once it is proved idle. A
  /// command that has begun to play waits for its device most of the time, and is not idle.
  private func forbidsFreeze(_ lease: Lease?) -> Bool {
    guard let lease else { return false }
    return lease.isHeldUntilExpiry || !registration.sleepsByItself || isBeginningToPlay
  }

  var limit: Moment {
    switch exit {
    case .killed: .never
    case .ending(_, let limit): limit
    case .staying: min(mail.outstanding?.limit ?? .never, tasks.limit)
    }
  }

  /// The limit, unless it is that of an end that somebody has asked for.
  var timeLimit: Moment {
    switch exit {
    case .staying, .ending(.exitsOnSuspend, _): limit
    case .ending, .killed: .never
    }
  }

  /// The next moment at which `elapse` has something else to do.
  func deadline(_ alarm: ResumeAlarm, _ turn: Turn) -> Moment {
    // The music of others waits for a call, also for the call of a program that is ending.
    guard isStaying else { return fadeDeadline }
    var next = min(alarm.moment, wakeLease?.ends ?? .never, keepAliveLease?.ends ?? .never)
    next = min(
      next, tasks.expiry(lead: turn.policy.expirationLead), errands.map(\.ends).min() ?? .never,
      fetchDue(turn))
    if let limit = freezeLimit { next = min(next, limit) }
    if isAsleep { next = min(next, timers.latest, timers.nextLook, memory.due) }
    next = min(next, soundDeadline)
    if mayFreeze, let moment = retry.next { next = min(next, moment) }
    if isAwake, registration.speaks { next = min(next, turn.surroundings.dayEnds) }
    return next
  }
}
