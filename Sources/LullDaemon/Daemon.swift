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
  let journal = Journal()
  var guardian: GuardLink?
  /// A guard that this process started in place of one that died.
  var guardProcess: DescriptorBox?
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
  /// Programs that lost their connection while their process lived.
  var leaving: [Program] = []
  /// Clients with output to write at the end of the turn.
  var dirty: [Client] = []
  var armed: Int64?
  var isStopping = false
  /// Commands that ended with nobody attached, oldest first.
  var unheardEnds: [UnheardEnd] = []
  static let maximumUnheardEnds = 64
  /// Commands that ended when they were frozen, oldest first.
  var spared: [String] = []
  static let maximumSpared = 64
  /// Kept so that a connection can be taken and refused when descriptors have run out.
  var reserve: DescriptorBox?
  var receiveBuffer = ReceiveBuffer(capacity: 16_384)
  /// One read of the clock per wake-up.
  var now: Moment
  var seenAt: Int64 = 0
  var wallOffset: Int64 = 0
  /// The path by which programs connect to this daemon.
  let controlPath = RuntimeDirectory.controlSocket()
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
    signals = try SignalDescriptor(blocking: [Signal.terminate, Signal.interrupt, Signal.hangUp])
    place = CgroupPlace.find(root: options.cgroupRoot)
    if let link = guardLink { guardian = GuardLink(DescriptorBox(link)) }
    try Signal.ignore(Signal.pipe)
    reserve = try? DescriptorBox(Process.pidfdOpen(Identity.pid()))
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
    restore()
    journal.note(at: Clock.realtime(), program: nil, what: "started", detail: place.remark)
    var ready = ReadyList(capacity: 256)
    while !isStopping {
      finishTurn()
      _ = try epoll.wait(into: &ready, timeoutMilliseconds: looks.isEmpty && freezes.isEmpty ? -1 : 0)
      beginTurn()
      for index in 0..<ready.count {
        guard let token = Token(ready[index].token), token.kind == .line else { continue }
        thawAtOnce(token, ready[index].readiness)
      }
      var sets: [Token] = []
      for index in 0..<ready.count {
        let (raw, readiness) = ready[index]
        guard let token = Token(raw) else { continue }
        // A member names the connection, so it is told before its set.
        if token.kind == .line, lineSlots[token]?.isSet == true {
          sets.append(token)
        } else {
          dispatch(token, readiness)
        }
      }
      for token in sets { dispatch(token, .readable) }
      advanceLooks()
    }
    stop()
  }

  func beginTurn() {
    seenAt = Clock.boottime()
    now = clock.moment(atBoottime: seenAt)
  }

  private func dispatch(_ token: Token, _ readiness: LullSystem.Readiness) {
    switch token.kind {
    case .line: lineReady(token, readiness)
    case .listener: acceptClients()
    case .timer: timerFired()
    case .wallClock: watchWallClock()
    case .signals: signalsArrived()
    case .guardian: guardianSpoke()
    case .client: clientReady(token, readiness)
    case .process: processEnded(token)
    case .exec: execAnswered(token)
    case .cgroup: cgroupChanged(token)
    case .child: childEnded(token)
    case .sound: soundSpoke()
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
      while let client = dirty.popLast() { flush(client) }
      advanceFreezes()
    } while !released.isEmpty || !dirty.isEmpty
    armTimer()
  }

  private func timerFired() {
    _ = try? timer.expirations()
    armed = nil
    feed(.tick)
    programsLeave()
    recheckFreezes()
    restartSoundIfDue()
    missSoundNews()
  }

  private func armTimer() {
    let engineDeadline = engine.deadline.map(clock.boottime(at:))
    let next = [engineDeadline, nextLeave, nextRecheck, soundRestartAt, soundNewsBy].compactMap(\.self).min()
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
    guardian?.tell(.init("stopping"))
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
    lastRequest += 1
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
