import LullEngine

extension World {
  /// Performs an effect as the daemon would.
  func perform(_ effect: Effect) {
    if case .show(let id, program: _, _) = effect { shown.append(id) }
    if case .withdraw(let id) = effect { shown.removeAll { $0 == id } }
    if case .launch(let name, _) = effect, let number = number(startableAs: name) { planStart(number) }
    if case .measure(let ids, let ticket) = effect {
      // The thread may take longer than the engine waits, and answer when the next question is asked.
      let longest: Interval = chance.happens(200) ? .seconds(5) : .milliseconds(1500)
      plan(.sizes(ticket, ids), after: chance.upTo(longest))
    }
    guard let app = effect.app, let program = program(app) else { return }
    switch effect {
    case .freeze(_, let ticket):
      program.cell.ask(ticket)
      // A look at many threads takes several turns.
      plan(.look(program, ticket), after: chance.happens(100) ? chance.upTo(.milliseconds(50)) : .zero)
    case .watch(_, let ticket, let watch):
      if chance.happens(scenario.worstMoment) { plan(.arrive(program, randomArrival()), after: .zero) }
      plan(
        .watch(program, ticket, watch),
        after: chance.happens(500) ? .zero : Interval(nanoseconds: 1))
    case .thaw: thaw(program)
    case .answerPing(_, let line):
      // The peer may take no bytes.
      let isAnswered = !chance.happens(scenario.freezeRefused / 2)
      if isAnswered, program.cell.answerPing(line) { reportSoon(program, line) }
      plan(.pinged(program, line, isAnswered: isAnswered), after: .zero)
    case .kill: die(program, .signaled(9))
    case .forget: forget(program, app)
    case .woke, .deliver, .runKeepAlive, .runFetch, .expire, .terminate, .receive, .action, .open, .push:
      guard program.isAlive else { return }
      plan(program.reached(by: effect, &chance, at: now), of: program)
      if chance.happens(scenario.deaths) { plan(.deed(program, .exit), after: chance.upTo(.seconds(20))) }
    case .exempt: exempt.insert(program.number)
    case .compact(_, let ticket):
      plan(.compacted(program, ticket), after: chance.happens(500) ? .zero : chance.upTo(.seconds(2)))
    case .checkLocks: if chance.happens(100) { plan(.lockAwaited(program), after: .zero) }
    case .checkSignals:
      if let alarm = program.waits.alarm, alarm.due <= now { plan(.signalDue(program), after: .zero) }
    case .note(_, .trialFrozen), .note(_, .freezeRefused): suffer(program)
    case .show, .withdraw, .record, .drop, .launch, .giveUpLaunch, .recordInstalled, .note, .keepPathsOpen,
      .weigh, .recordPermission,
      .measure, .warnMemory, .restPressure, .keepLines,
      .interruption, .route, .changed:
      break
    case .order(_, let session, let order): ordered(program, session, order: order)
    }
  }

  func program(_ app: AppID) -> FakeProgram? {
    guard Int(app.slot) < managed.count, let program = managed[Int(app.slot)], program.app == app else {
      return nil
    }
    return program
  }

  /// A program that asked and has ended since gets no answer.
  func deliver(_ answer: Engine.Answer, to program: FakeProgram, _ ask: Ask) {
    let wasManaged = program.app != nil
    let plans = program.answered(ask, with: answer, chance: &chance, at: now)
    if !wasManaged, let app = program.app {
      while managed.count <= Int(app.slot) { managed.append(nil) }
      managed[Int(app.slot)] = program
      if !program.isAlive { plan(.bury(program, app, .unknown), after: .zero) }
    }
    plan(plans, of: program)
  }

  func freeze(_ program: FakeProgram, _ ticket: Ticket) {
    program.cell.freeze(ticket)
    ringsOf(program, areFilled: false)
    if chance.happens(scenario.worstMoment) {
      plan(
        .arrive(program, chance.pick([.data, .ping, .fin, .rst, .connection])),
        after: chance.pick([.zero, Interval(nanoseconds: 1)]))
    }
    let limit = scenario.policy.freezeLimit.scaled(by: 3, over: 2)
    let isLate = chance.happens(scenario.freezeLate)
    let stop = isLate ? chance.upTo(limit) : .zero
    if chance.happens(scenario.freezeNever) {
      // The last task never stops, or `frozen 1` never shows.
      if chance.happens(500) { plan(.stop(program, ticket), after: stop) }
      return
    }
    plan(.stop(program, ticket), after: stop)
    let seen = stop + Interval(nanoseconds: 1) + (isLate ? chance.upTo(limit) : .zero)
    if program.isObserved { disturb(program) }
    if chance.happens(scenario.freezeRefused / 2) {
      let why = chance.pick([FreezeRefusal.failed, .noDescriptor, .timeout])
      plan(.refuse(program, ticket, why, retryAfter: randomRetry(program)), after: seen)
    } else {
      plan(.observe(program, ticket), after: seen)
    }
  }

  /// The time after which another observation would be worth while. A library program is not observed for
  /// this, and nobody can tell.
  private func randomRetry(_ program: FakeProgram) -> Interval? {
    guard program.isObserved, chance.happens(600) else { return nil }
    let longest: [Interval] = [.zero, .milliseconds(1), .seconds(1), .seconds(5), .seconds(60)]
    return chance.upTo(chance.pick(longest))
  }

  /// The disturbances of a command while it is observed, and soon after.
  private func disturb(_ program: FakeProgram) {
    let soon: [Interval] = [.zero, Interval(nanoseconds: 1), scenario.policy.trialBlame]
    if chance.happens(scenario.childDeaths) {
      plan(.child(program), after: chance.happens(500) ? chance.pick(soon) : chance.around(.seconds(30)))
    }
    if chance.happens(scenario.nudges), chance.happens(200) {
      plan(.signal(program), after: chance.happens(500) ? chance.pick(soon) : chance.around(.seconds(30)))
    }
    if chance.happens(scenario.nudges) {
      let command = chance.pick([Transition.wake, .suspend, .foreground, .background])
      plan(.nudge(program, command), after: chance.upTo(chance.pick(soon)))
    }
  }

  /// A command was frozen and thawed. Some commands do not bear it, and one that uses the library may give
  /// that up.
  private func suffer(_ program: FakeProgram) {
    if program.speaks, !program.registration.speaks, let app = program.app, chance.happens(200) {
      plan(.deed(program, .say(.leave(app))), after: .zero)
    }
    guard program.isObserved, chance.happens(scenario.trialDeaths) else { return }
    let observed = scenario.policy.trialBlame
    let after = chance.pick([.zero, chance.upTo(observed), observed, chance.upTo(observed.scaled(by: 3))])
    let statuses: [ExitStatus] = [.exited(0), .exited(1), .signaled(11), .signaled(6), .unknown]
    plan(.deed(program, .end(chance.pick(statuses))), after: after)
  }

  private func thaw(_ program: FakeProgram) {
    let slept = if case .watched = program.cell.freezer { true } else { false }
    let ended = program.cell.thaw()
    guard program.isAlive else { return }
    program.waits.run(at: now)
    if slept { program.waits.slept() }
    if let line = program.cell.takeRead() { program.waits.read(line, at: now) }
    if program.isObserved, chance.happens(100) { rearrange(program) }
    plan(program.sawEnd(of: ended, &chance), of: program)
    for deed in program.delayed { plan(.deed(program, deed), after: .zero) }
    program.delayed = []
    ringsOf(program, areFilled: true)
    if chance.happens(scenario.worstMoment) {
      plan(.arrive(program, chance.pick(Arrival.allCases)), after: .zero)
    }
  }

  /// Somebody writes 0 to the cgroup of a sleeper. The kernel tells of it at most once in 10 ms.
  func thawedByOthers(_ program: FakeProgram, _ ticket: Ticket) {
    guard !isDraining, program.cell.freezer == .watched(ticket) else { return }
    thaw(program)
    plan(.thawed(program), after: chance.happens(500) ? .zero : chance.upTo(.milliseconds(10)))
  }

  /// The threads of the program wait for something else from now on.
  func rearrange(_ program: FakeProgram) {
    let old = program.waits
    program.waits = FakeWaits.random(&chance)
    program.waits.keepClock(of: old, at: now)
  }

  private func forget(_ program: FakeProgram, _ app: AppID) {
    managed[Int(app.slot)] = nil
    program.app = nil
    if !program.isAlive { replace(program) }
  }

  /// The end of the run: peers and programs fall silent, everybody is woken, then quit. Afterwards nothing
  /// may be left: no frozen program, no freeze in the air, no managed program; no deadline and no
  /// notification but those that outlive their programs.
  func drain() throws(Violation) {
    isDraining = true
    for number in installed.sorted() { try uninstall(number) }
    for number in 0..<scenario.programs { try feed(.linesTaken(name(number))) }
    for number in 0..<scenario.programs { try startEnds(number) }
    for app in engine.programs { try ask(.transition(app, .wake)) }
    for program in programs where program.isAlive {
      try require(program.cell.freezer == .running, "program \(program.number) is still frozen after a wake")
    }
    for app in engine.programs { try ask(.transition(app, .quit)) }
    for program in programs where program.isAlive && program.registration.isUnmanaged {
      die(program, .exited(0))
    }
    let end = steps + 100_000
    let isBusy = try run(steps: end)
    try require(!isBusy, "the world does not come to rest")
    try require(engine.programs.isEmpty, "\(engine.programs.count) programs are left")
    // Programs whose name another program had are left, and those that wait for their turn until these are
    // over.
    for _ in 0..<scenario.programs {
      guard let next = (0..<scenario.programs).first(where: { engine.isOnItsWay(name($0)) }) else { break }
      try startEnds(next)
    }
    let waiting = engine.notifications.filter { $0.fires != nil }
    let due = waiting.compactMap(\.fires).min() ?? .never
    let isOver = engine.isMemoryShort || engine.deadline ?? .never == due
    try require(isOver, "a deadline is left")
    for program in programs where program.isAlive {
      try require(program.cell.freezer == .running, "program \(program.number) is left frozen")
    }
  }

  private func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Violation) {
    guard holds else { throw Violation(rule: "drain", what: what()) }
  }

  /// The machine is suspended until the alarm resumes it, or somebody does. Nothing runs meanwhile, and no
  /// other timer fires.
  func suspend() throws(Violation) {
    guard !isDraining else { return }
    let somebody = now + chance.around(chance.pick([.seconds(30), .seconds(3000)]))
    let alarm = engine.alarm ?? .never
    let end = min(somebody, max(alarm, now))
    let time = end - now
    let running = programs.filter { $0.isAlive && $0.cell.runs }
    for program in running { program.waits.stop(at: now) }
    agenda.wait(time)
    takeTimerBack()
    now = end
    for program in running { program.waits.run(at: now) }
    for program in programs { program.cell.standStill(time) }
    plan(.suspend, after: chance.around(scenario.suspendPace ?? .seconds(1500)))
    try feed(.stoodStill(time))
    guard (engine.deadline ?? .never) <= now || alarm <= now else { return }
    isResumed = alarm <= now
    defer { isResumed = false }
    try feed(.tick)
  }
}
