import LullEngine

extension World {
  func observe(_ program: FakeProgram, _ ticket: Ticket) throws(Violation) {
    let isComplete = try findDescriptors(program, ticket)
    guard program.isAlive, let app = program.app else { return }
    guard program.cell.freezer == .stopped(ticket) else {
      // The observation of a freeze that was taken back meanwhile.
      if chance.happens(500) { try feed(.observed(app, ticket, Observation())) }
      return
    }
    if let line = program.waits.query?.line, !program.cell.lines.contains(where: { $0.id == line }) {
      program.waits.closed(line)
    }
    program.cell.observe(program.isObserved ? program.waits : nil)
    var observation = program.isObserved ? observe(program) : Observation()
    let rate = program.isObserved ? scenario.busyObservations : scenario.freezeRefused
    isDisturbed = program.isObserved && chance.happens(rate)
    if isDisturbed { disturb(&observation) }
    if !program.isObserved {
      observation.threads = [thread(chance.happens(rate) ? .works : .sources)]
    }
    if !isComplete { (observation.obstacle, isDisturbed) = (.tooManyLines, true) }
    if chance.happens(200) { observation.cost = chance.upTo(Interval(nanoseconds: 100_000)) }
    try feed(.observed(app, ticket, observation))
  }

  private func thread(
    _ wait: ObservedWait, _ timeOut: Interval? = nil, course: TimeOutCourse = .goesOn
  ) -> ObservedThread {
    var thread = ObservedThread(process: 1, thread: 1, wait: wait, timeOut: timeOut)
    thread.course = course
    return thread
  }

  /// The observation of a command by an honest daemon.
  private func observe(_ program: FakeProgram) -> Observation {
    let waits = program.waits
    var observation = Observation()
    let wait: ObservedWait =
      switch waits.style {
      case .levelSet, .edgeSet, .poll, .inside: .sources
      case .naps: .time
      case .child: .child
      case .unwatchable: .unwatchable(waits.unwatchable)
      }
    observation.threads = [thread(wait, waits.left(now), course: waits.course), thread(.thread)]
    observation.threads[0].period = waits.timeOut
    if waits.hasNapper { observation.threads.append(thread(.time)) }
    if let left = waits.queryLeft(now) {
      observation.threads.append(thread(.sources, left, course: .standsStill))
      observation.threads[observation.threads.count - 1].period = waits.query?.timeOut
    }
    observation.hasFreeChild = waits.style == .child
    observation.hidesTimers = waits.alarm != nil
    observation.sources = [WakeSource(line: nil, role: .waited, reach: .inside)]
    var set = WakeSource(line: nil, role: .set, reach: .inside)
    for line in program.cell.lines {
      guard let role = waits.role(line) else { continue }
      let source = source(of: line, role: role, waits)
      observation.sources.append(source)
      if role == .member, source.isReady, !line.isTold { set.isReady = true }
    }
    observation.sources.append(set)
    return observation
  }

  private func source(of line: FakeLine, role: WakeSource.Role, _ waits: FakeWaits) -> WakeSource {
    var source = WakeSource(line: line.id, role: role, reach: line.isEventfd ? .inside : .outside)
    source.isReady = line.readiness != nil
    (source.isFull, source.trace) = (line.isStuck, line.trace)
    let ago = now - line.lastArrival
    if line.isDatagram {
      source.transport = .udp(hasPeer: true)
    } else if !line.listens, !line.isEventfd {
      var activity = WakeSource.Activity(
        sinceSent: ago, sinceReceived: ago + .milliseconds(chance.happens(900) ? 50 : 900),
        isEstablished: !line.hasEnded && !source.isFull)
      if waits.answer?.line == line.id, let since = waits.sinceAnswer(now) {
        (activity.sinceSent, activity.sinceReceived) = (since, ago)
        if since < .zero { activity.sinceSent = ago + .seconds(1) }
      }
      source.transport = .tcp(activity)
    }
    return source
  }

  /// Adds what only shows now and then.
  private func disturb(_ observation: inout Observation) {
    switch chance.below(10) {
    case 0: observation.signalled = 1
    case 1: observation.isAsking = true
    case 2:
      observation.records = chance.happens(500)
      observation.audioDevice = observation.records ? "pcmC0D0c" : "pcmC0D0p"
    case 3: observation.audioTurns = .init(server: "JACK", count: chance.next() % 1000)
    case 4: observation.missingPort = 5060
    case 5: observation.obstacle = .noRights("ptrace")
    case 6: observation.obstacle = chance.pick([.tooManyProcesses(9999), .tooManyDescriptors(9999)])
    case 7: observation.obstacle = .noDescriptor("EMFILE")
    case 8: observation.timer = chance.upTo(.seconds(100))
    default: observation.threads.append(thread(.works))
    }
  }

  func watch(_ program: FakeProgram, ticket: Ticket, plan: WatchPlan) throws(Violation) {
    guard program.isAlive, let app = program.app else { return }
    guard let ready = program.cell.watch(ticket, plan) else {
      // The answer to a freeze that was taken back meanwhile.
      if chance.happens(500) { try feed(.frozen(app, ticket)) }
      return
    }
    for (line, readiness) in ready { try feed(.ready(app, line, readiness)) }
    // The answer comes also after a line was ready: it is stale then, and in the order of the pipeline.
    guard program.app == app, program.isAlive else { return }
    try feed(.frozen(app, ticket))
    if chance.happens(scenario.strangeThaws) {
      self.plan(.thaw(program, ticket), after: chance.happens(300) ? .zero : chance.around(.seconds(30)))
    }
    guard !program.cell.lines.isEmpty else { return }
    self.plan(.peerOfSleeper(program, ticket), after: chance.around(scenario.peerPace))
  }

  /// The daemon searches a frozen command for descriptors. Returns false when there are too many.
  private func findDescriptors(_ program: FakeProgram, _ ticket: Ticket) throws(Violation) -> Bool {
    guard program.cell.freezer == .stopped(ticket) else { return true }
    for line in program.cell.takeLost() {
      program.waits.closed(line)
      if let app = program.app { try feed(.lineLost(app, line)) }
    }
    guard program.isObserved, program.cell.freezer == .stopped(ticket) else { return true }
    let most = program.cell.lines.isEmpty ? 2 : chance.happens(150) ? 1 : 0
    for _ in 0..<chance.below(most + 1) where program.cell.lines.count < 6 {
      guard let app = program.app else { return true }
      let kind: LinePurpose = chance.happens(700) ? .voip : .accessory
      let origin: LineOrigin = chance.happens(500) ? .opened : .other
      let listens = origin == .other && chance.happens(300)
      let ask = Ask.find(kind, listens: listens, isFull: !listens && chance.happens(200))
      let count = program.cell.lines.count
      try self.ask(.lineFound(app, kind, origin, ""), ask, by: program)
      guard program.cell.lines.count > count else { return program.app != app }
      beginQuery(program)
      if chance.happens(scenario.worstMoment) { arrive(randomArrival(), at: program) }
    }
    return true
  }

  /// The line that was just found may be a socket over which the program has asked something.
  private func beginQuery(_ program: FakeProgram) {
    let index = program.cell.lines.count - 1
    let line = program.cell.lines[index]
    if chance.happens(150) { program.cell.lines[index].isLeaked = true }
    guard !line.listens, !line.isFull else { return }
    if chance.happens(100) { return program.cell.lines[index].isEventfd = true }
    guard chance.happens(250) else { return }
    program.cell.lines[index].isDatagram = true
    program.cell.lines[index].isLeaked = false
    guard program.waits.style == .poll || program.waits.style == .levelSet else { return }
    let timeOuts: [Interval] = [.seconds(2), .seconds(5), .seconds(25), .seconds(45)]
    let timeOut = chance.pick(timeOuts)
    let ago = chance.upTo(timeOut - scenario.policy.tick)
    program.waits.ask(on: line.id, for: timeOut, sent: ago, at: now)
  }

  /// The kernel's account of a command that is said to sleep.
  func sleeperView(_ program: FakeProgram) -> KernelView? {
    guard case .watched = program.cell.freezer else { return nil }
    return kernelView(program)
  }

  /// The kernel's account of a command at an observation that shows nothing but its waits.
  func lookView(_ program: FakeProgram) -> KernelView? { isDisturbed ? nil : kernelView(program) }

  private func kernelView(_ program: FakeProgram) -> KernelView? {
    guard program.isAlive, program.isObserved, let app = program.app else {
      return nil
    }
    let waits = program.waits
    var view = KernelView(app: app)
    view.isWatchable = waits.style != .unwatchable
    view.canWake = waits.style == .child || !program.sessions.isEmpty
    for line in program.cell.lines {
      guard let role = waits.role(line) else { continue }
      if !line.hasEnded, !line.isEventfd { view.canWake = true }
      guard line.readiness != nil, !line.isTold else { continue }
      let isOld = role == .open && now - line.lastArrival >= scenario.policy.disregardAfter
      if !isOld { view.holds = line.id }
    }
    if let since = waits.sinceAnswer(now), let timeOut = waits.timeOut {
      view.hasAnswered = since >= .zero
      let line = program.cell.lines.first { $0.id == waits.answer?.line }
      let isHeard = line.map { waits.role($0) != nil && !$0.hasEnded && !$0.isFull } ?? false
      let isWaitedFor = (scenario.policy.tick...scenario.policy.answerTime).contains(timeOut)
      if since < .zero, isHeard, isWaitedFor { view.unanswered = line?.id }
    }
    if let query = waits.query, query.timeOut <= scenario.policy.queryTime, waits.queryLeft(now) != nil {
      view.query = query.line
    }
    return view
  }

  /// The daemon looks at a program, and freezes it unless the engine takes the freeze back.
  func look(_ program: FakeProgram, _ ticket: Ticket) throws(Violation) {
    guard program.isAlive, let app = program.app else { return }
    guard program.cell.freezer == .asked(ticket) else {
      if chance.happens(100) { try feed(.looked(app, ticket, Look())) }
      return
    }
    if !isDraining, chance.happens(scenario.activity) {
      let lengths: [Interval] = [.milliseconds(20), .milliseconds(700), .seconds(10), .seconds(60)]
      program.waits.act(isCall: chance.happens(500), for: chance.pick(lengths), at: now)
    }
    try feed(.looked(app, ticket, seen(program)))
    guard program.isAlive, program.app == app, program.cell.freezer == .asked(ticket) else { return }
    freeze(program, ticket)
  }

  /// The look of an honest daemon, which meets a program at work now and then.
  private func seen(_ program: FakeProgram) -> Look {
    var look = Look()
    let rate = program.isObserved ? scenario.busyObservations : scenario.freezeRefused
    if program.waits.isInCall(now) {
      look.activity = .moves(process: 1, thread: 1, call: "write")
    } else if chance.happens(rate / 2) {
      look.activity = chance.happens(900) ? .works(process: 1, thread: 1) : .unreadable(.narrow)
    }
    if program.isObserved { look.used = program.waits.used(now) }
    if chance.happens(200) { look.cost = chance.upTo(Interval(nanoseconds: 100_000)) }
    return look
  }

  func activity(_ program: FakeProgram, _ app: AppID) -> ActivityView {
    ActivityView(
      app: app, isInCall: program.waits.isInCall(now),
      worksSince: program.isObserved ? program.waits.worksSince(now) : nil)
  }
}
