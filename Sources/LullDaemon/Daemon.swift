import LullEngine
public import LullSystem
import LullWire

/// The shell around the engine: one thread, one epoll loop. Readiness becomes events, effects become
/// system calls. It decides nothing that the engine could decide.
public final class Daemon {
  /// A step of a freeze that waits for the end of the turn: thaws, answers and notices go first, and a freeze
  /// hears what its program still says, which must not come between a request and its answer.
  enum FreezeStep {
    case begin(AppID, Ticket)
    case confirm(AppID, Ticket)

    var program: AppID {
      switch self {
      case .begin(let id, _), .confirm(let id, _): id
      }
    }
  }

  /// The end of a command that nobody has been told of.
  struct UnheardEnd {
    let name: String
    let pid: Int32
    let notice: Message
  }

  /// Where a request's answer goes.
  enum Asker {
    case silent
    /// A program is installed when the engine takes it.
    case install(ProgramSeed)
  }

  let options: DaemonOptions
  let clock: EngineClock
  let epoll: Epoll
  let listener: DescriptorBox
  let timer: Timer
  let wallTimer: Timer
  let signals: SignalDescriptor
  let place: CgroupPlace
  let ownCgroup: OwnCgroup
  let journal = Journal()
  /// For programs that are stopped by signals.
  let processes = ProcessTable()
  /// For every descriptor that came from a program.
  let closer = Closer()
  /// How many seconds a turn of the loop may take before the alarm ends this process, and the guard starts
  /// another.
  static let longestTurn = 4
  var watching = Watching.nobody
  var guardDeaths = Backoff()
  /// The guard that started this process is gone.
  var guardHasEnded = false
  /// Processes of Lull that have ended, or are about to, and whose status nobody has taken.
  var unreaped: [DescriptorBox] = []
  var leftPrograms: [LeftProgram] = []
  /// The restored program that is in its first freeze.
  weak var trial: Program?
  /// First freezes that wait for the end of that one.
  var laterTrials: [FreezeStep] = []
  var engine: Engine
  var programs: [Program?] = []
  var clients = SlotArray<Client>()
  var lineSlots = SlotArray<HeldLine>()
  /// What waits to be told to the engine.
  var events: [Event] = []
  var freezes: [FreezeStep] = []
  /// Looks that are not done yet.
  var looks: [(id: AppID, ticket: Ticket)] = []
  /// Freezes that the kernel has not confirmed yet, and when to ask again.
  var rechecks: [(at: Int64, id: AppID, ticket: Ticket)] = []
  var askers: [UInt64: Asker] = [:]
  var lastRequest: UInt64 = 0
  var answered: LullEngine.Answer?
  /// Programs whose duplicates are to be released in this turn, after every thaw is written.
  var released: [Program] = []
  /// Descriptors that are still to be closed.
  var discarded: [Discarded] = []
  /// Programs that lost their connection while their process lived.
  var leaving: [Program] = []
  /// The client that is heard first when the last turn had no time for it.
  private var nextServed: Token?
  /// Clients with output to write at the end of the turn.
  var dirty: [Client] = []
  var armed: Int64?
  private var isTimeUp = false
  var isStopping = false
  /// Commands that ended with nobody attached, oldest first.
  var unheardEnds: [UnheardEnd] = []
  static let maximumUnheardEnds = 64
  /// Commands that ended when they were frozen, oldest first.
  var spared: [String] = []
  static let maximumSpared = 64
  var reserve = DescriptorReserve()
  /// How many connections each process has.
  var connectionCounts: [Int32: Int] = [:]
  let outputs = OutputTotal()
  /// Clients that have handed something over for a `run` or `session` to come, oldest first.
  var staging: [Client] = []
  /// Children that are no programs after all, until they are reaped.
  var strays: [ProgramSeed] = []
  var receiveBuffer = ReceiveBuffer(capacity: 16_384)
  /// One read of the clock per wake-up.
  var now: Moment
  var seenAt: Int64 = 0
  private var stillTime = StillTime(boottime: Clock.boottime(), monotonic: Clock.monotonic())
  var wallOffset: Int64 = 0
  /// The path by which programs connect to this daemon.
  let controlPath = RuntimeDirectory.controlSocket()
  /// The same as the kernel writes it.
  let listenerName: String
  /// lull-audio, while there are sessions.
  var sound: SoundLink?
  var soundStartedAt: Int64 = 0
  var soundRestartAt: Int64?
  /// Until then a lull-audio that was restarted has told what plays.
  var soundNewsBy: Int64?
  /// Where the sound goes, as it was told last.
  var route: Message?

  /// A daemon that serves `listener`; `guardLink` leads to lull-guard, which keeps what must outlive this
  /// process.
  public init(options: DaemonOptions, listener: consuming Descriptor, guardLink: consuming Descriptor?)
    throws(SystemError)
  {
    self.options = options
    clock = EngineClock(rate: options.clockRate, base: options.clockBase)
    engine = Engine(policy: Policy())
    now = clock.now()
    epoll = try Epoll()
    self.listener = DescriptorBox(listener)
    timer = try Timer.bestBoottime()
    wallTimer = try Timer(.realtime)
    // The alarm is not among them: it ends this process, whatever that is doing.
    signals = try SignalDescriptor(
      blocking: Startup.endingSignals().filter { $0 != Signal.alarm } + [Signal.child])
    place = CgroupPlace.find(root: options.cgroupRoot)
    ownCgroup = try OwnCgroup()
    if let link = guardLink {
      // The guard made the pair of sockets.
      let process = try? DescriptorBox(UnixSocket.peerPidfd(of: link.raw))
      watching = .expected(GuardLink(DescriptorBox(link)), process, since: Clock.boottime())
    }
    for signal in Signal.needless { try Signal.ignore(signal) }
    listenerName = (try? Socket.localAddress(self.listener.raw))?.description ?? ""
    reserve.fill()
  }

  /// Serves until a signal ends it: SIGTERM or SIGINT. Every program is thawed before it returns.
  public func run() throws(SystemError) {
    try epoll.add(listener.raw, token: Token(.listener).raw, interest: .readable)
    try epoll.add(timer.raw, token: Token(.timer).raw, interest: .readable)
    try epoll.add(wallTimer.raw, token: Token(.wallClock).raw, interest: .readable)
    try epoll.add(signals.raw, token: Token(.signals).raw, interest: .readable)
    if let guardian {
      try epoll.add(guardian.descriptor.raw, token: Token(.guardian).raw, interest: .readable)
    }
    watchWallClock()
    processes.isPlaced = { [unowned self] in isPlaced($0) }
    restore()
    journal.note(at: Clock.realtime(), program: nil, what: "started", detail: place.remark)
    var ready = ReadyList(capacity: 256)
    while !isStopping {
      finishTurn()
      let mayWait = looks.isEmpty && freezes.isEmpty && discarded.isEmpty
      if mayWait { Alarm.cancel() }
      _ = try epoll.wait(into: &ready, timeoutMilliseconds: mayWait ? -1 : 0)
      beginTurn()
      for index in 0..<ready.count {
        guard let token = Token(ready[index].token), token.kind == .line else { continue }
        thawAtOnce(token, ready[index].readiness)
      }
      // Thaws wait for nobody, so they go first.
      Alarm.set(seconds: Self.longestTurn)
      noticeStillTime()
      var sets: [Token] = []
      var speaking: [(token: Token, readiness: LullSystem.Readiness)] = []
      for index in 0..<ready.count {
        let (raw, readiness) = ready[index]
        guard let token = Token(raw) else { continue }
        // A member names the connection, so it is told before its set.
        if token.kind == .line, lineSlots[token]?.isSet == true {
          sets.append(token)
        } else if token.kind == .client {
          speaking.append((token, readiness))
        } else {
          dispatch(token, readiness)
        }
      }
      for token in sets { dispatch(token, .readable) }
      serve(speaking)
      // A program whose answer has come in this turn has kept its limit.
      if isTimeUp { timerFired() }
      advanceLooks()
    }
    stop()
  }

  /// What the clients of one turn may take together, in nanoseconds: a wake must not wait for many of them.
  private static var servingTime: Int64 { 5_000_000 }

  /// Hears clients in turn; the rest is ready in the next turn too, and comes first then.
  private func serve(_ speaking: [(token: Token, readiness: LullSystem.Readiness)]) {
    let start = Clock.boottime()
    let first = speaking.firstIndex { $0.token == nextServed } ?? 0
    nextServed = nil
    for (token, readiness) in speaking[first...] + speaking[..<first] {
      guard Clock.boottime() - start < Self.servingTime else { return nextServed = token }
      dispatch(token, readiness)
    }
  }

  func beginTurn() {
    seenAt = Clock.boottime()
    now = clock.moment(atBoottime: seenAt)
  }

  /// Before anything of the turn is told: limits count time in which programs could run.
  private func noticeStillTime() {
    let still = stillTime.turnBegins(boottime: seenAt, monotonic: Clock.monotonic(), due: armed)
    if still > 0 { feed(.stoodStill(clock.interval(still))) }
  }

  private func dispatch(_ token: Token, _ readiness: LullSystem.Readiness) {
    switch token.kind {
    case .line: lineReady(token, readiness)
    case .listener: acceptClients()
    case .timer: isTimeUp = true
    case .wallClock: watchWallClock()
    case .signals: signalsArrived()
    case .guardian: guardianSpoke()
    case .client: clientReady(token, readiness)
    case .process: processEnded(token)
    case .exec: execAnswered(token)
    case .cgroup: cgroupChanged(token)
    case .child: childEnded(token)
    case .sound: soundSpoke()
    case .stray: reapStrays()
    case .member: memberEnded(token)
    }
  }

  /// Feeds one event and everything that follows from it.
  func feed(_ event: Event) {
    events.append(event)
    pump()
  }

  /// Works off what waits. Requests that arrive meanwhile are worked off in their turn, in order.
  func pump() {
    var effects: [Effect] = []
    while !events.isEmpty {
      engine.handle(events.removeFirst(), at: now, effects: &effects)
      for effect in effects { perform(effect) }
      effects.removeAll(keepingCapacity: true)
    }
  }

  /// What can wait until every thaw of this turn is written: duplicates, notices, freezes, the timer.
  private func finishTurn() {
    repeat {
      releaseDuplicates()
      letGo()
      while let client = dirty.popLast() {
        client.isDirty = false
        // One that takes nothing costs no call for each notice: its socket tells when there is room.
        if client.isOverrun || client.interest?.contains(.writable) != true { flush(client) }
      }
      advanceFreezes()
    } while !released.isEmpty || !dirty.isEmpty
    finishTrial()
    watchGuard()
    armTimer()
  }

  private func timerFired() {
    _ = try? timer.expirations()
    (armed, isTimeUp) = (nil, false)
    feed(.tick)
    programsLeave()
    recheckFreezes()
    dropOldStaged()
    restartSoundIfDue()
    missSoundNews()
    if sound?.stuckAt != nil { watchSound() }
    startGuardIfDue()
  }

  private func armTimer() {
    let engineDeadline = engine.deadline.map(clock.boottime(at:))
    let own = [
      nextLeave, nextRecheck, nextStagedEnd, soundRestartAt, soundNewsBy, sound?.stuckAt, nextGuard,
    ]
    let next = ([engineDeadline] + own).compactMap(\.self).min()
    guard next != armed else { return }
    armed = next
    if let next { _ = try? timer.arm(at: max(1, next)) } else { try? timer.disarm() }
  }

  /// Tells the engine the wall clock, and is called again whenever somebody sets it
  /// (TFD_TIMER_CANCEL_ON_SET).
  private func watchWallClock() {
    _ = try? wallTimer.expirations()
    _ = try? wallTimer.arm(at: .max / 2, cancelOnSet: true)
    beginTurn()
    wallOffset = Clock.realtime() &- now.nanoseconds
    feed(.wallClock(offset: wallOffset))
  }

  private func stop() {
    for case let program? in programs {
      try? program.suspender.thaw()
      release(program)
    }
    guard let guardian else { return }
    guardian.tell(Message(.stopping))
  }

  func program(_ id: AppID) -> Program? {
    let slot = Int(id.slot)
    guard slot < programs.count, let program = programs[slot], program.id == id else { return nil }
    return program
  }

  func program(_ token: Token) -> Program? {
    guard token.slot < programs.count, let program = programs[token.slot],
      program.id.generation & 0xFF_FFFF == token.generation
    else { return nil }
    return program
  }

  func newRequest(_ asker: Asker) -> RequestID {
    lastRequest &+= 1
    askers[lastRequest] = asker
    return RequestID(lastRequest)
  }

  /// Asks the engine and hands its answer back; every request is answered within the same call.
  func ask(_ event: (RequestID) -> Event) -> LullEngine.Answer {
    answered = nil
    feed(event(newRequest(.silent)))
    return answered ?? .refused(.gone)
  }
}
