/// A program: what it declared, where it stands, and what keeps it awake.
struct App: Sendable {
  /// Whether the kernel holds the program still.
  enum Sleep: Sendable {
    case awake
    /// Frozen or on its way there; nobody has looked at it yet.
    case freezing(Ticket, limit: Moment)
    /// Found idle; what can wake it is being watched.
    case arming(Ticket, limit: Moment, timer: OwnTimers.OwnTimer?)
    case asleep
  }

  /// Whether the program is on its way out.
  enum Exit: Sendable {
    case staying
    /// Told to end; killed at the limit.
    case ending(KillReason, limit: Moment)
    case killed
  }

  /// Run time that the program was given, until `ends` or until it says `done` with a ticket not older than
  /// this.
  struct Lease: Sendable {
    var ends: Moment
    var ticket: Ticket
    /// What it is shown as.
    var kind = LeaseKind.wake
    /// The run time of a command is usually the time in which it is looked at; this one it keeps until the
    /// end.
    var isFirm = false
  }

  /// A command is frozen and thawed once before it is put to sleep: a few die of it.
  enum Trial: Sendable {
    case due
    /// Thawed at this moment; watched since.
    case watched(Moment)
    case over
  }

  struct HeldLine: Sendable {
    let id: LineID
    let kind: LineKind
    let offload: Offload
    var origin = LineOrigin.other
    /// It has been held through a sleep; a connection that comes and goes in one run is nothing to wait for.
    var hasSlept = false
    /// When the line last woke the program, or was held.
    var lastReal: Moment
    var answers = AnsweredPings()
  }

  let id: AppID
  var registration: Registration
  /// Started as a command; it outlives its connection to the library.
  let isCommand: Bool
  /// What was said of a command before it spoke through the library.
  var commandRegistration: Registration?
  var state: ApplicationState
  /// Where the user wants it.
  var target: LaunchTarget
  var isLaunched = false
  /// When the launch must be over.
  var launchEnds: Moment
  var hasEnteredBackground = false
  var sleep = Sleep.awake
  var exit = Exit.staying
  var mail = Mailbox()
  var wakeLease: Lease?
  var keepAliveLease: Lease?
  var lines: [HeldLine] = []
  var keepAlive: KeepAlive?
  /// Where the time-out of a handler that has not run yet counts from.
  var keepAliveBase = Moment.never
  /// Kept when a keep-alive is cleared, so that installing it anew does not shorten the gap.
  var lastKeepAliveRun: Moment?
  var tasks = TaskList()
  var wakes = WakeHistory()
  /// A wake put off by `batchWakes`.
  var delayedWake: (moment: Moment, reason: WakeReason, line: LineID)?
  /// It went to sleep by its own `done`: each of its offloaded lines stands at a message boundary.
  var vouches = false
  var retry = FreezeRetry()
  var trial = Trial.due
  /// What earlier looks saw.
  var idleness = Idleness()
  var timers: OwnTimers
  /// When the paths of its UDP sockets are to be kept open next.
  var pathsDue = Moment.never
  var account: Account
  var playbacks: [Playback] = []
  /// Of the session that was ended last and is not deep: what was heard of it lasts for the hangover.
  var lastCategory: AudioCategory?
  var hearing = Hearing()
  var startGrace = StartGrace()
  var silentRefills = SilentRefills()
  /// The sound went to another device while it slept.
  var missedRoute = false

  init(id: AppID, registration: Registration, now: Moment, policy: Policy) {
    let registration = registration.bounded(by: policy)
    self.id = id
    self.registration = registration
    isCommand = !registration.speaks && !registration.isGuest
    target = registration.target
    state = .notRunning
    launchEnds = now + policy.launchLimit
    account = Account(since: now)
    timers = OwnTimers(rule: registration.timers, now: now, policy: policy)
  }

  var isAwake: Bool { if case .awake = sleep { true } else { false } }
  var isAsleep: Bool { if case .asleep = sleep { true } else { false } }
  var isStaying: Bool { if case .staying = exit { true } else { false } }

  /// By when a freeze must be complete; nil while none is under way.
  var freezeLimit: Moment? {
    switch sleep {
    case .freezing(_, let limit), .arming(_, let limit, _): limit
    case .awake, .asleep: nil
    }
  }

  /// The leases that forbid a freeze, derived from what holds them, in the order of `LeaseKind`.
  func leases(_ policy: Policy) -> [LeaseView] {
    var held: [LeaseView] = []
    if !mail.isEmpty || !isStaying {
      let limit = mail.outstanding?.limit ?? .never
      held.append(LeaseView(kind: isLaunched ? .transition : .launching, ends: limit == .never ? nil : limit))
    }
    if let wakeLease, wakeLease.kind == .wake { held.append(LeaseView(kind: .wake, ends: wakeLease.ends)) }
    if let keepAliveLease { held.append(LeaseView(kind: .keepalive, ends: keepAliveLease.ends)) }
    if state == .background, !tasks.isEmpty { held.append(LeaseView(kind: .task, ends: tasks.ends)) }
    held += soundLeases()
    if let wakeLease, wakeLease.kind != .wake {
      held.append(LeaseView(kind: wakeLease.kind, ends: wakeLease.ends))
    }
    return held
  }

  /// True when nothing forbids to freeze the program.
  var mayFreeze: Bool {
    state == .background && isAwake && isStaying && mail.isEmpty && tasks.isEmpty && !registration.isSpared
      && !forbidsFreeze(wakeLease) && !forbidsFreeze(keepAliveLease)
      && !soundForbidsFreeze
  }

  /// A command cannot say `done`: it may sleep before its run time is over, once it is proved idle. One that
  /// has begun to play waits for its device most of the time, and is not idle.
  private func forbidsFreeze(_ lease: Lease?) -> Bool {
    guard let lease else { return false }
    return lease.isFirm || !registration.sleepsByItself || isBeginningToPlay
  }

  /// When the program is killed.
  var limit: Moment {
    switch exit {
    case .killed: .never
    case .ending(_, let limit): limit
    case .staying: min(mail.outstanding?.limit ?? .never, isAwake ? tasks.limit : .never)
    }
  }

  /// The next moment at which `elapse` has something else to do.
  func deadline(_ policy: Policy) -> Moment {
    guard isStaying else { return .never }
    var next = min(wakeLease?.ends ?? .never, keepAliveLease?.ends ?? .never)
    if isAwake { next = min(next, tasks.expiry(lead: policy.expirationLead)) }
    if let limit = freezeLimit { next = min(next, limit) }
    if isAsleep { next = min(next, timers.latest) }
    if let keepAlive { next = min(next, keepAlive.runsAlone(awake: isAwake)) }
    next = min(next, soundDeadline)
    if let delayedWake { next = min(next, delayedWake.moment) }
    if isAsleep { next = min(next, pathsDue) }
    if mayFreeze, let moment = retry.next { next = min(next, moment) }
    return next
  }
}

/// The wait between two tries to freeze a program that could not be frozen.
struct FreezeRetry: Sendable {
  private(set) var next: Moment?
  private(set) var last: (why: FreezeRefusal, detail: Detail)?
  private var refusals: Int64 = 0
  /// No look comes before, whatever happens: looks must not take too much of the processor.
  private var floor = Moment(nanoseconds: .min)

  mutating func refused(
    _ why: FreezeRefusal, _ detail: Detail, now: Moment, first: Interval, longest: Interval,
    notBefore: Interval?
  ) {
    last = (why, detail)
    next = max(floor, now + max(first.doubled(refusals, atMost: longest), notBefore ?? .zero))
    refusals += 1
  }

  mutating func waited() { next = nil }

  mutating func standStill(_ time: Interval) { next = next.map { $0 + time } }

  /// Puts the next try off; never forward, because the shell may have said that it would be in vain.
  mutating func wait(until moment: Moment) { next = max(next ?? moment, moment, floor) }

  /// The program is on its way to its wait. Looks have no part in it.
  mutating func settle(until moment: Moment) { next = max(next ?? moment, moment) }

  /// A look took so much of the processor.
  mutating func looked(_ cost: Interval, _ turn: Turn) {
    let crowd = max(1, Int64(turn.programs) / turn.policy.lookCrowd)
    floor = turn.now + cost.scaled(by: turn.policy.lookShare).scaled(by: crowd)
  }

  mutating func succeeded() {
    let floor = floor
    self = FreezeRetry()
    self.floor = floor
  }
}

/// Time asleep and awake.
struct Account: Sendable {
  private(set) var asleep = Interval.zero
  private(set) var awake = Interval.zero
  private(set) var lastSleep: Moment?
  private var since: Moment
  private var isAsleep = false

  init(since: Moment) { self.since = since }

  mutating func turn(asleep next: Bool, at now: Moment) {
    if isAsleep { asleep = asleep + (now - since) } else { awake = awake + (now - since) }
    since = now
    if next, !isAsleep { lastSleep = now }
    isAsleep = next
  }
}
