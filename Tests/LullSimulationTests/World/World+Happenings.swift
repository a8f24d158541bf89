import LullEngine

extension World {
  func happen(_ happening: Happening) throws(Violation) {
    switch happening {
    case .timer(let number):
      guard timerFires(number) else { return }
      try tick()
    case .spuriousTick: try tick()
    case .deed(let program, let deed): try perform(deed, of: program)
    case .look(let program, let ticket): try look(program, ticket)
    case .stop(let program, let ticket):
      if program.cell.stop(ticket) { program.waits.stop(at: now) }
    case .observe(let program, let ticket): try observe(program, ticket)
    case .watch(let program, let ticket, let plan): try watch(program, ticket: ticket, plan: plan)
    case .refuse(let program, let ticket, let why, let retryAfter):
      guard let app = program.app else { return }
      try feed(.freezeRefused(app, ticket, why, retryAfter: retryAfter))
    case .child(let program):
      guard program.isAlive, !isDraining, let app = program.app else { return }
      guard chance.happens(100) else { return try feed(.childEnded(app)) }
      try feed(.reconnect(app, chance.happens(300) ? .network : .resumed))
    case .signal(let program):
      guard program.isAlive, !isDraining, let app = program.app else { return }
      guard chance.happens(500) else { return try feed(.signalled(app)) }
      try feed(.ending(app))
      if chance.happens(500) { plan(.deed(program, .exit), after: chance.around(.seconds(5))) }
    case .thaw(let program, let ticket): thawedByOthers(program, ticket)
    case .thawed(let program):
      // The daemon asks the kernel again before it reports the thaw.
      guard program.isAlive, case .running = program.cell.freezer, let app = program.app else { return }
      try feed(.unfrozen(app))
    case .compacted(let program, let ticket):
      guard let app = program.app else { return }
      let results: [CompactionResult] = [.done(before: 2, after: 1), .stopped, .refused]
      try feed(.compacted(app, ticket, chance.pick(results)))
    case .lockAwaited(let program):
      guard program.isAlive, !isDraining, let app = program.app else { return }
      try feed(.lockAwaited(app))
    case .signalDue(let program):
      guard program.isAlive, let app = program.app else { return }
      try feed(.signalDue(app))
    case .pinged(let program, let line, let isAnswered):
      guard program.isAlive, let app = program.app else { return }
      try feed(isAnswered ? .pingAnswered(app, line) : .ready(app, line, .data))
    case .nudge(let program, let command):
      guard program.isAlive, !isDraining, let app = program.app else { return }
      try ask(.transition(app, command))
    case .peer(let program):
      guard program.isAlive, !isDraining else { return }
      arrive(randomArrival(), at: program)
      plan(.peer(program), after: chance.around(scenario.peerPace.scaled(by: 40)))
    case .peerOfSleeper(let program, let ticket):
      guard program.isAlive, !isDraining, program.cell.freezer == .watched(ticket) else { return }
      // A peer tires of a program whose timers stand still.
      let isSlow = program.isObserved && program.waits.timeOut != nil
      arrive(isSlow && chance.happens(300) ? chance.pick([.fin, .rst]) : randomArrival(), at: program)
      plan(.peerOfSleeper(program, ticket), after: chance.around(scenario.peerPace))
    case .arrive(let program, let arrival):
      if !isDraining { arrive(arrival, at: program) }
    case .report(let program, let line): try report(program, line)
    case .bury(let program, let app, let status):
      guard program.app == app else { return }
      try feed(.exited(app, status))
    case .launch(let number): try launch(number)
    case .install(let number): try install(number)
    case .uninstall(let number): try uninstall(number)
    case .start(let number): try start(number)
    case .ghost(let input):
      // The connection of a program that spoke once is closed.
      if input.isSaid, let app = input.app, program(app)?.speaks == false { return }
      if !isDraining { try feed(input) }
    case .command:
      guard !isDraining else { return }
      try operate()
      plan(.command, after: chance.around(scenario.operatorPace))
    case .sound(let program, let session, let act, let age):
      try sound(act, session, age: age, of: program)
    case .device:
      guard !isDraining else { return }
      switch chance.below(4) {
      case 0: try soundCrashes()
      case 1: try deviceReturns()
      default: try feed(.routeChanged)
      }
      plan(.device, after: chance.around(scenario.devicePace))
    case .clock:
      guard !isDraining else { return }
      // Midnight is within the world.
      try ask(.localZone(.utc()))
      try feed(.wallClock(offset: (82_000_000 + Int64(chance.below(4_000_000))) * 1_000_000))
      plan(.clock, after: chance.around(scenario.clockPace))
    case .suspend: try suspend()
    case .pressure: try squeeze()
    case .sizes(let ticket, let ids):
      // Some programs have ended meanwhile, and the size of one could not be learned.
      let known = ids.filter { _ in !chance.happens(50) }
      try feed(.sizes(ticket, known.map { MemorySize($0, bytes: Int64(chance.below(1 << 30))) }))
    case .accessory(let device): if !isDraining { try feed(.accessory(device)) }
    case .surroundings:
      guard !isDraining else { return }
      // A device with a bad contact comes and goes again and again.
      if chance.happens(300) {
        let device = chance.happens(900) ? randomAccessory() : nil
        for _ in 0..<chance.pick([1, 1, 20]) {
          plan(.accessory(device), after: chance.upTo(.seconds(15)))
        }
      }
      try feed(.surrounding(randomChange()))
      plan(.surroundings, after: chance.around(scenario.clockPace))
    }
  }

  /// Some of those whose limit has passed are traced.
  private func tick() throws(Violation) {
    for app in engine.overdue(at: now) where !isDraining && chance.happens(scenario.traced) {
      try feed(.traced(app))
    }
    try feed(.tick)
  }

  /// Memory is short for a while, and then for long it is not.
  private func squeeze() throws(Violation) {
    guard !isDraining else { return }
    try feed(.pressure(chance.happens(600) ? .warning : .critical))
    let goesOn = chance.happens(800)
    plan(.pressure, after: goesOn ? .seconds(2) : chance.around(scenario.pressurePace))
  }

  private func perform(_ deed: Deed, of program: FakeProgram) throws(Violation) {
    guard program.isAlive else { return }
    let isOnItsWay = deed.isMessage && chance.happens(program.temper.inFlight)
    guard program.cell.runs || isOnItsWay || deed.isOfOperator else { return program.delayed.append(deed) }
    switch deed {
    case .ask(let request, let ask):
      guard mayStillSay(.request(request), program) else { return }
      if case .endSession(_, let id) = request, let session = program.sessions.first(where: { $0.id == id }) {
        plan(.sound(program, session, .evaluate, age: nil), after: chance.upTo(.seconds(2)))
      }
      try self.ask(request, ask, by: program)
      if case .adopt(let app, _) = request, chance.happens(600) {
        plan(.deed(program, .say(.leave(app))), after: chance.around(.seconds(60)))
      }
    case .say(let event):
      guard mayStillSay(.event(event), program) else { return }
      try feed(event)
      // It runs on, and this world follows it no more.
      if case .letGo = event, program.isAlive { return die(program, .exited(0)) }
      guard case .leave = event, program.isAlive else { return }
      if program.registration.isUnmanaged { return die(program, .exited(0)) }
      program.left(isManaged: program.app.flatMap(engine.state) != nil)
      adopt(program, within: .seconds(120))
      plan(.deed(program, .act), after: chance.around(.seconds(5)))
    case .close(let line):
      guard let index = program.cell.lines.firstIndex(where: { $0.id == line }) else { return }
      program.cell.lines[index].isClosed = true
    case .playSound(let session, let isWanted):
      (session.isWanted, session.hasFrames) = (isWanted, true)
      plan(.sound(program, session, .observe, age: nil), after: chance.upTo(.milliseconds(50)))
    case .interruptSound(let session):
      guard session.isWanted else { return }
      plan(.deed(program, .playSound(session, false)), after: .zero)
      plan(.deed(program, .playSound(session, true)), after: chance.upTo(.seconds(5)))
    case .cutSound(let session): plan(.sound(program, session, .cut, age: nil), after: .zero)
    case .exit: die(program, .exited(Int32(chance.below(3))))
    case .end(let status): die(program, status)
    case .act:
      guard !isDraining else { return }
      for deed in program.act(scenario.policy, &chance) { plan(.deed(program, deed), after: .zero) }
      plan(.deed(program, .act), after: chance.around(program.temper.pace))
    }
  }

  /// A message under an id that the program no longer has stays unsaid, and nobody registers at the end.
  private func mayStillSay(_ input: Input, _ program: FakeProgram) -> Bool {
    guard input.app == program.app || (input.app == nil && !isDraining) else { return false }
    return program.speaks || input.isIntroduction || input.isOfSound || program.registration.isUnmanaged
  }

  func die(_ program: FakeProgram, _ status: ExitStatus) {
    guard program.isAlive else { return }
    program.isAlive = false
    guard let app = program.app else { return replace(program) }
    plan(.bury(program, app, status), after: chance.happens(900) ? .zero : chance.upTo(.seconds(30)))
  }

  /// Somebody starts a new process in the place of one that ended.
  func replace(_ program: FakeProgram) {
    guard !isDraining, !isLeftToEngine(program.number) else { return }
    plan(.launch(program.number), after: chance.around(.seconds(30)))
  }

  private func report(_ program: FakeProgram, _ id: LineID) throws(Violation) {
    guard program.isAlive, let app = program.app,
      let line = program.cell.lines.first(where: { $0.id == id })
    else { return }
    // After a thaw the daemon drops what its last poll returned; a report may come through all the same.
    if !program.cell.runs, let readiness = line.readiness { return try feed(.ready(app, id, readiness)) }
    if chance.happens(scenario.staleReport) { try feed(.ready(app, id, chance.pick(LineReadiness.allCases))) }
  }

  func randomArrival() -> Arrival {
    let arrivals: [Arrival] = [.data, .ping, .connection, .fin, .rst, .room]
    return arrivals[chance.weighted([10, 10, 4, 1, 1, 5], total: 31)]
  }

  func arrive(_ arrival: Arrival, at program: FakeProgram) {
    guard program.isAlive, !program.cell.lines.isEmpty else { return }
    let index = chance.below(program.cell.lines.count)
    if let line = program.cell.receive(arrival, onLine: index, at: now) { reportSoon(program, line) }
    guard program.cell.runs else { return }
    plan(program.sawEnd(of: program.cell.read(), &chance), of: program)
    if let line = program.cell.takeRead() { program.waits.read(line, at: now) }
  }

  func reportSoon(_ program: FakeProgram, _ line: LineID) {
    let isLate = chance.happens(scenario.reportLate)
    plan(.report(program, line), after: isLate ? chance.upTo(scenario.reportMost) : .zero)
  }

  func plan(_ plans: [FakeProgram.Plan], of program: FakeProgram) {
    for next in plans { plan(.deed(program, next.deed), after: next.after) }
  }
}

extension Deed {
  /// True for what is asked from outside, also of a sleeper.
  fileprivate var isOfOperator: Bool { if case .say(.letGo) = self { true } else { false } }

  /// True for a message on its way to the daemon, which arrives whatever becomes of the program.
  fileprivate var isMessage: Bool {
    switch self {
    case .say, .ask: true
    default: false
    }
  }
}

extension Input {
  /// True for a message that a process sends before the daemon knows that it speaks.
  fileprivate var isIntroduction: Bool {
    switch self {
    case .request(.register), .request(.adopt): true
    default: false
    }
  }

  /// True for the opening and the end of a session, which any process of a program may ask for.
  fileprivate var isOfSound: Bool {
    switch self {
    case .request(.openSession), .request(.endSession): true
    default: false
    }
  }

  fileprivate var isSaid: Bool {
    switch self {
    case .event(.did), .event(.done), .event(.fetched): true
    default: false
    }
  }
}
