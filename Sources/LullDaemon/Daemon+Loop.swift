import LullChannel
import LullEngine
import LullGuard
package import LullSystem
import LullWire

// One turn: thaws, what has come, the engine's deadlines, and at its end the work that can wait.
extension Daemon {
  /// Serves until a signal comes that would end it (`Signals`), or a client asks for it. Every program is
  /// thawed before it returns. Returns the exit status.
  @discardableResult
  package func run() throws(SystemError) -> Int32 {
    try guardianship.watchFirst()
    watchWallClock()
    takeBack()
    while guardianship.isRestoring, !signals.areToStop { try turn() }
    // A slow disk must not keep the programs of the daemon before this one waiting.
    readJournal()
    // Whoever installs a program from now on says so: the file that he has just written is no boot's.
    readInstalled()
    try control.open()
    journal.note(program: nil, what: "started", detail: startDetail)
    while !signals.areToStop, !ending.isDue, !isUpgradeDue { try turn() }
    let goesOn = !signals.areToStop && !ending.isDue
    stop(forNext: goesOn)
    // A guard that did not hear that the next lulld is to come starts it because of this status.
    return goesOn ? Self.upgradeStatus : 0
  }

  /// How the lulld before this one ended, where nobody had asked it to, and what this one cannot do.
  private var startDetail: String? {
    let hasDied = options.restarts > 0
    let former = hasDied ? "lulld was killed or has failed, restarts \(options.restarts)" : nil
    let parts = [former, suspenders.remark].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private func turn() throws(SystemError) {
    finishTurn()
    // The journal waits for everything: a wake must not wait for it.
    if !guardianship.isRestoring { writeJournal() }
    try wait()
    host.beginTurn()
    thawAtOnce()
    // Thaws must not wait for other work, so they go first.
    Alarm.set(seconds: DaemonOptions.longestTurn)
    host.noticeStillTime(due: deadlines.armed)
    let shortest = services.policy.supervision.shortestSuspend.nanoseconds
    if host.suspended >= shortest { network.resumed(at: seenAt) }
    pump()
    dispatch()
    if signals.haveCome { signalsArrived() }
    // A program whose answer has come in this turn has kept its limit.
    if deadlines.takeDue() { timePassed() }
    advanceObservations()
    answerHeld()
    leaveHeld()
    advanceEnding()
  }

  private func wait() throws(SystemError) {
    let hasWork = freezing.hasWork || hasJournalBacklog || scores.hasWoken || ending.nextSlot != nil
    let mayWait = !hasWork || guardianship.isRestoring
    if mayWait { Alarm.cancel() }
    try signals.wait(mayWait)
    try reactor.wait(timeoutMilliseconds: mayWait && !signals.areApart ? -1 : 0)
  }

  private func thawAtOnce() {
    for place in reactor.events {
      guard let event = reactor[place], case .line(let line) = event.source else { continue }
      thawAtOnce(line, event.readiness)
    }
  }

  private func dispatch() {
    var sets: [Slot] = []
    var speaking: [ServingTurns.Ready] = []
    for place in reactor.events {
      guard let event = reactor[place] else { continue }
      switch event.source {
      // A member names the connection, so it is told before its set.
      case .line(let line) where sources.isSet(line): sets.append(line)
      case .client(let client): speaking.append((client, event.readiness))
      default: dispatch(event)
      }
    }
    for set in sets { lineReady(set, .readable) }
    control.begin(speaking)
    while let ready = control.nextReady() { clientReady(ready.client, ready.readiness) }
  }

  private func dispatch(_ event: DaemonReactor.Event) {
    switch event.source {
    case .line(let line): lineReady(line, event.readiness)
    case .listener: acceptClients()
    case .wallClock: watchWallClock()
    case .signals: signalsArrived()
    case .guardian: guardianSpoke()
    case .client: break
    case .kept(let line): keptLines.ready(line, event.readiness)
    case .process(let id): processEnded(id)
    case .awaited(let process): awaitedEnded(process)
    case .cgroup(let id): cgroupChanged(id)
    case .child(let id): childEnded(id)
    case .sound: soundSpoke()
    case .notify: notifySpoke()
    case .compactor: memoryGivenBack()
    case .network: network.newsCame(at: seenAt)
    case .otherGuard: otherGuardSpoke()
    case .alert: alerts.spoke(&receiveBuffer)
    case .pressure(let trigger): pressureRose(trigger, event.readiness)
    case .sizes: sizesCame()
    case .surroundings(let source): surroundingsChanged(source)
    case .mistakes: filesOfMistakesChanged()
    case .keeper(let pid): keepers.changed(pid)
    case .member(let id, _):
      reactor.remove(event.registration)
      memberEnded(id)
    }
  }

  /// Does the work that can wait until every thaw of this turn is written: duplicates, notices, freezes, the
  /// timer.
  private func finishTurn() {
    // Events of kept lines, which nobody has handed on yet.
    pump()
    giveUpLaunches()
    repeat {
      releaseDuplicates()
      freezing.closeReleased()
      flushClients()
      // Until the guard has told everything, it would not thaw what is frozen.
      if !guardianship.isRestoring { advanceFreezes() }
      checkLocks()
      checkSignals()
    } while freezer.hasThawed || control.hasOutput
    adjustScores()
    finishTrial()
    notifyHook.start()
    sound.watch()
    keepMachine()
    presenter.watch()
    alerts.settle()
    tellGuardOfLines()
    carryOut(guardianship.flush())
    guardianship.watchForRoom()
    if journal.hasUntold { flushClients() }
    if !guardianship.isRestoring { ledger.work(at: seenAt, startingAnew: keptLines.hasLines) }
    armTimer()
  }

  private func timePassed() {
    feed(.tick)
    programsLeave()
    giveUpOldReservations()
    freezer.recheckDue()
    control.timePassed(now: Clock.boottime())
    notifyHook.timeIsUp()
    lookAtTakings()
    keptLines.timeIsUp { name in host.engine.find(name: name) != nil }
    carryOut(sound.timeIsUp())
    startNotifyIfDue()
    alerts.timeIsUp()
    carryOut(guardianship.timeIsUp())
    networkTimePassed()
    pressure.timeIsUp(at: seenAt)
  }

  private func armTimer() {
    let moments = [
      host.deadline, programs.deadline, commands.reservations.deadline, freezer.nextRecheck, control.deadline,
      sound.deadline, presenter.deadline, alerts.deadline, notifyHook.deadline,
      keptLines.deadline, network.deadline, guardianship.deadline, ending.deadline, upgrade.deadline,
      pressure.deadline, scores.deadline, awaited.deadline,
      guardianship.isRestoring ? nil : ledger.deadline,
    ]
    deadlines.arm(moments, alarm: host.alarm, isHeld: host.engine.holdsMachine)
  }

  /// Tells the engine the wall clock, and is called again whenever somebody sets it.
  private func watchWallClock() {
    deadlines.watchWallClock()
    host.readWallClock()
    pump()
  }

  /// Thaws a program at the end of the daemon. A program that cannot be thawed stays in the record of
  /// leftovers.
  private func thawForGood(_ program: Program) {
    do {
      try program.suspender.thaw()
    } catch {
      guard !Expected([.ended, .removed]).covers(error) else { return }
      StandardError.say("lulld: \(program.name) cannot be thawed: \(error); `lull doctor --thaw` tries again")
    }
  }

  /// EX_TEMPFAIL of sysexits.h: an end that another start is to follow.
  private static var upgradeStatus: Int32 { 75 }

  private func stop(forNext goesOn: Bool) {
    for program in programs {
      thawForGood(program)
      care.weights.restore(program.id, program.suspender)
      release(program)
    }
    // Lines that were let go in the last turn must not come back with the next daemon.
    tellGuardOfLines()
    if !goesOn { guardianship.tell(.stopping) }
    journal.note(program: nil, what: "stopped")
    // Whoever has asked for the end waits for the answer.
    flushClients()
    systemdJournal.write(journal)
    // The next lulld of an upgrade finds them as they are; only after an end in good order are they booted.
    ledger.finish(isOver: !goesOn, startingAnew: keptLines.hasLines)
    journalFile.finish(journal)
    if goesOn { giveWay() }
  }
}
