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
    // Without a route no program that is taken back fetches.
    network.settle()
    lifecycle.takeBack()
    adoption.watchSignals()
    while guardianship.isRestoring, !core.signals.areToStop { try turn() }
    // A slow disk must not keep the programs of the daemon before this one waiting.
    journaling.readJournal()
    // Whoever installs a program from now on says so: the file that he has just written is no boot's.
    installed.readInstalled()
    try control.open()
    journal.note(program: nil, what: "started", detail: startDetail)
    while !core.signals.areToStop, !ending.isDue, !guarding.isUpgradeDue { try turn() }
    let goesOn = !core.signals.areToStop && !ending.isDue
    stop(forNext: goesOn)
    // A guard that did not hear that the next lulld is to come starts it because of this status.
    return goesOn ? Self.upgradeStatus : 0
  }

  /// How the lulld before this one ended, unless somebody had asked it to, and what this one cannot do.
  private var startDetail: String? {
    let hasDied = options.restarts > 0
    let lack = suspenders.lack?.text
    return hasDied ? Explanation(.predecessorFailed, count: options.restarts, text: lack).line : lack
  }

  private func turn() throws(SystemError) {
    finishTurn()
    // The journal waits for everything: a wake must not wait for it.
    if !guardianship.isRestoring { journaling.writeJournal() }
    try wait()
    host.beginTurn()
    try thawAtOnce()
    // Thaws must not wait for other work, so they go first.
    Alarm.set(seconds: DaemonOptions.longestTurn)
    host.noticeStillTime(due: deadlines.armed)
    let shortest = policy.supervision.shortestSuspend.nanoseconds
    if host.suspended >= shortest { network.resumed() }
    pump()
    dispatch()
    if core.signals.haveCome { signalsArrived() }
    // A program whose answer has come in this turn has kept its limit.
    if deadlines.takeDue() { timePassed() }
    sleeping.advanceObservations()
    answerHeld()
    sound.leaveHeld()
    advanceEnding()
  }

  private func wait() throws(SystemError) {
    let hasWork =
      core.freezing.hasWork || journaling.hasJournalBacklog || pressure.scores.hasWoken
      || ending.nextSlot != nil
    let mayWait = !hasWork || guardianship.isRestoring
    if mayWait { Alarm.cancel() }
    try core.signals.wait(mayWait)
    try reactor.wait(timeoutMilliseconds: mayWait && !core.signals.areApart ? -1 : 0)
  }

  /// What woke while others were thawed is thawed before anything else is done for them. After a burst the
  /// processors are left to those who were thawed. The lines of a sleeper tell once, so this ends with the
  /// sleepers.
  private func thawAtOnce() throws(SystemError) {
    var (seen, thawed, moment, isAwaited) = (0, 0, seenAt, false)
    while true {
      for place in reactor.events.dropFirst(seen) {
        guard let event = reactor[place], case .line(let line) = event.source else { continue }
        if sleeping.thawAtOnce(line, event.readiness, seenAt: moment) {
          thawed += 1
        } else if sleeping.isFrozen(byLine: line) {
          // The engine says whether this line wakes its program.
          isAwaited = true
        }
      }
      seen = reactor.events.count
      let pause = isAwaited ? .zero : policy.supervision.pause(afterThaws: thawed)
      let rest = max(0, seenAt + pause.nanoseconds - Clock.boottime())
      guard thawed > 0, try reactor.waitMore(timeoutMilliseconds: Int32(clamping: rest / 1_000_000))
      else { return }
      moment = Clock.boottime()
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
    for set in sets { sleeping.lineReady(set, .readable) }
    control.begin(speaking)
    while let ready = control.nextReady() { clientReady(ready.client, ready.readiness) }
  }

  private func dispatch(_ event: DaemonReactor.Event) {
    switch event.source {
    case .line(let line): sleeping.lineReady(line, event.readiness)
    case .listener: acceptClients()
    case .wallClock: watchWallClock()
    case .signals: signalsArrived()
    case .guardian: guarding.guardianSpoke()
    case .client: break
    case .queues: sleeping.queuesSeen()
    case .probe(let number): sleeping.probeReady(number)
    case .kept(let line): kept.lines.ready(line, event.readiness)
    case .process(let id): lifecycle.processEnded(id)
    case .awaited(let process): lifecycle.awaitedEnded(process)
    case .cgroup(let id): lifecycle.cgroupChanged(id)
    case .child(let id): sleeping.childEnded(id)
    case .sound: sound.soundSpoke()
    case .notify: desktop.notifySpoke()
    case .compactor: memory.memoryGivenBack()
    case .locks: memory.locksCame()
    case .network(let space): network.newsCame(in: space)
    case .otherGuard: guarding.otherGuardSpoke()
    case .alert: desktop.alertSpoke()
    case .pressure(let trigger): pressure.pressureRose(trigger, event.readiness)
    case .sizes: pressure.sizesCame()
    case .settings: surroundings.filesChanged()
    case .devices: surroundings.devicesChanged()
    case .misconfigured: installed.misconfiguredChanged()
    case .outsideSignal: adoption.wakeSignalled()
    case .keeper(let pid): installed.keepers.changed(pid)
    case .member(let id, _):
      reactor.remove(event.registration)
      lifecycle.memberEnded(id)
    }
  }

  /// Does the work that can wait until every thaw of this turn is written: duplicates, notices, freezes, the
  /// timer.
  private func finishTurn() {
    // Events of kept lines, which nobody has handed on yet.
    pump()
    repeat {
      for feature in features { feature.settle() }
      flushClients()
    } while freezer.hasThawed || control.hasOutput
    for feature in features { feature.turnEnds() }
    if journal.hasUntold { flushClients() }
    if !guardianship.isRestoring { ledger.work(at: seenAt, startingAnew: kept.lines.hasLines) }
    armTimer()
  }

  private func timePassed() {
    lifecycle.tellTraced()
    feed(.tick)
    control.timePassed(now: Clock.boottime())
    for feature in features { feature.timeIsUp() }
  }

  private func armTimer() {
    var first = earlier(host.deadline, control.deadline)
    if !guardianship.isRestoring { first = earlier(first, ledger.deadline) }
    for feature in features { first = earlier(first, feature.deadline) }
    deadlines.arm(at: first, alarm: host.alarm, isHeld: engine.holdsMachine)
  }

  private func signalsArrived() {
    while let news = core.signals.next() {
      switch news {
      case .childChanged: for feature in features { feature.childrenChanged() }
      case .stop(let name): journal.note(program: nil, what: "signal", detail: name)
      }
    }
  }

  private func watchWallClock() {
    deadlines.watchWallClock()
    host.readWallClock()
    pump()
  }

  /// EX_TEMPFAIL of sysexits.h: an end that another start is to follow.
  private static var upgradeStatus: Int32 { 75 }

  private func stop(forNext goesOn: Bool) {
    for feature in features { feature.finish(goesOn: goesOn) }
    journal.note(program: nil, what: "stopped")
    // Whoever has asked for the end waits for the answer.
    flushClients()
    services.systemdJournal.write(journal)
    // The next lulld of an upgrade finds them as they are; only after an end in good order are they booted.
    ledger.finish(isOver: !goesOn, startingAnew: kept.lines.hasLines)
    services.journalFile.finish(journal)
    if goesOn { guarding.giveWay() }
  }

  // MARK: The end that a client has asked for

  /// The client is answered at once and waits for the end of this process and its guard.
  func stopDaemon(withPrograms endsPrograms: Bool) -> Reply {
    ending.begin(withPrograms: endsPrograms)
    return .ok(
      Message(.ok).adding(.pid, Identity.pid()).adding(.guardPid, guardianship.pid)
        .adding(.remainingSeconds, endsPrograms ? policy.terminateLimit.seconds : nil))
  }

  /// A program that is asked to end here was not quit by anybody.
  func advanceEnding() {
    for _ in 0..<DaemonEnding.step {
      guard let slot = ending.nextSlot else { break }
      guard let program = programs.first(fromSlot: slot) else {
        ending.allAsked(killedAt: clock.boottime(at: now + policy.terminateLimit))
        break
      }
      ending.asked(slot: Int(program.id.slot))
      guard !program.isUnmanaged else { continue }
      guard !program.isAdopted else {
        letGo(program)
        continue
      }
      program.stopsWithDaemon()
      _ = ask(.transition(program.id, .quit))
    }
    ending.advance(
      hasPrograms: programs.contains { !$0.isUnmanaged } || !awaited.isEmpty,
      isStarting: lifecycle.reservations.deadline != nil
        || kept.lines.areToBeTaken { engine.isLeftToOthers($0, at: now) })
  }
}
