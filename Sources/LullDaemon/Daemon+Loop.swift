import LullEngine
public import LullSystem
import LullWire

// One turn: thaws, what has come, the engine's deadlines, and at its end what can wait.
extension Daemon {
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
      try wait(into: &ready)
      beginTurn()
      thawAtOnce(ready)
      // Thaws wait for nobody, so they go first.
      Alarm.set(seconds: Self.longestTurn)
      noticeStillTime()
      dispatch(ready)
      if hasSignals { signalsArrived() }
      // A program whose answer has come in this turn has kept its limit.
      if isTimeUp { timerFired() }
      advanceLooks()
    }
    stop()
  }

  private func wait(into ready: inout ReadyList) throws(SystemError) {
    let mayWait = looks.isEmpty && freezes.isEmpty && discarded.isEmpty
    if mayWait { Alarm.cancel() }
    if isSetPolled { try waitForSignals(mayWait) }
    _ = try epoll.wait(into: &ready, timeoutMilliseconds: mayWait && !isSetPolled ? -1 : 0)
  }

  /// A signalfd shows the signals of whoever polls: a guard that polls the set would take their news out of it.
  func pollSignalsApart() {
    guard !isSetPolled else { return }
    isSetPolled = true
    try? epoll.remove(signals.raw)
  }

  private func waitForSignals(_ mayWait: Bool) throws(SystemError) {
    var entries = [PollEntry(signals.raw, .readable), PollEntry(epoll.raw, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: mayWait ? -1 : 0)
    hasSignals = !entries[0].readiness.isEmpty
  }

  private func thawAtOnce(_ ready: borrowing ReadyList) {
    for index in 0..<ready.count {
      guard let token = Token(ready[index].token), token.kind == .line else { continue }
      thawAtOnce(token, ready[index].readiness)
    }
  }

  private func dispatch(_ ready: borrowing ReadyList) {
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
    listenAgainIfDue()
  }

  private func armTimer() {
    let engineDeadline = engine.deadline.map(clock.boottime(at:))
    let own = [
      nextLeave, nextRecheck, nextStagedEnd, soundRestartAt, soundNewsBy, sound?.stuckAt, nextGuard,
      listensAgainAt,
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
}
