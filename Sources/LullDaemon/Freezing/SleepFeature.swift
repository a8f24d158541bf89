import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The sleep of programs: look, freeze, confirm, read the last requests of the program, observe, arm, poll
/// once more. In this order no byte is lost; the naive edge-triggered order loses one wake in forty.
final class SleepFeature: Feature {
  let core: Core
  let kept: KeptFeature
  let memory: MemoryFeature
  let pressure: PressureFeature
  let sound: SoundFeature

  init(
    _ core: Core, kept: KeptFeature, memory: MemoryFeature, pressure: PressureFeature, sound: SoundFeature
  ) {
    (self.core, self.kept, self.memory, self.pressure, self.sound) = (core, kept, memory, pressure, sound)
  }

  var probes: ProbeAnswers { core.freezing.probes }

  var deadline: Int64? { earlier(freezer.nextRecheck, probes.deadline) }

  func timeIsUp() {
    freezer.recheckDue()
    endProbes()
  }

  func settle() {
    releaseDuplicates()
    core.freezing.closeReleased()
    // Until the guard has told everything, it would not thaw what is frozen.
    if !guardianship.isRestoring { advanceFreezes() }
  }

  func turnEnds() { finishTrial() }

  func forget(_ program: Program) {
    release(program)
    core.freezing.forget(program.id)
  }

  func finish(goesOn: Bool) {
    for program in programs {
      thawForGood(program)
      release(program)
    }
  }

  /// A program that cannot be thawed stays in the record of leftovers.
  private func thawForGood(_ program: Program) {
    do {
      try program.suspender.thaw()
    } catch {
      guard !Expected([.ended, .removed]).covers(error) else { return }
      Complaint.notThawed(program.name, error).say()
    }
  }

  /// The longest time that freezes and observations may hold the loop up in one turn, in nanoseconds.
  private static var freezingTime: Int64 { 1_000_000 }

  private func advanceFreezes() {
    let start = Clock.boottime()
    while Clock.boottime() - start < Self.freezingTime, let step = freezer.nextStep() { advance(step) }
  }

  private func advance(_ step: FreezeStep) {
    switch step {
    case .begin(let id, let ticket): beginFreeze(id, ticket)
    case .confirm(let id, let ticket): confirmFreeze(id, ticket)
    }
    pump()
  }

  /// One step of each look, observation and watch that is under way. The rest goes on in the next turn, so
  /// that no program's wake waits for it.
  func advanceObservations() {
    let start = Clock.boottime()
    for _ in 0..<freezer.putOffCount where Clock.boottime() - start < Self.freezingTime {
      if let id = freezer.nextPutOff() { goOn(id) }
    }
  }

  /// The operator is told the result of the freeze.
  func finishFreeze(of id: AppID) {
    while let step = freezer.nextStep(of: id) { advance(step) }
    while freezer.takePutOff(id) { goOn(id) }
  }

  private func goOn(_ id: AppID) {
    if freezer.looks(id) != nil {
      continueLook(at: id)
    } else if freezer.observes(id) != nil {
      continueObservation(at: id)
    } else {
      continueArming(of: id)
    }
    pump()
  }

  private func beginFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), freezer.isDecided(id, ticket) else { return }
    // The program was thawed and is to be frozen again in one turn: the old duplicates go first.
    release(program)
    guard
      program.mayTakeDescriptors || !sources.hasLines(id) || control.programs.speaker(of: id) == nil
    else {
      freezer.prepare(id, ticket)
      return tell(id, .prepare(ticket))
    }
    requestFreeze(program, ticket)
  }

  func requestFreeze(_ program: Program, _ ticket: Ticket) {
    freezer.beginLook(at: program.id, ticket)
    continueLook(at: program.id)
  }

  private func freeze(_ program: Program, after look: ProgramLook) {
    let ticket = look.ticket
    guard guardianship.mayFreeze() else {
      let why = Explanation(.guardWouldNotThaw).line
      return host.queue(.freezeRefused(program.id, ticket, .failed, .text(why)))
    }
    switch freezer.turn(of: program.id, ticket) {
    case .later: return
    case .first: ledger.note(.progress(name: program.name, .trying))
    case .free: break
    }
    if let why = refusal(of: program) {
      return host.queue(.freezeRefused(program.id, ticket, .failed, .text(why)))
    }
    guard !isStopped(program) else { return host.queue(.freezeRefused(program.id, ticket, .stopped)) }
    feed(.looked(program.id, ticket, seen(look, program)))
    guard freezer.looks(program.id) === look else { return }
    if case .refused(let event) = freezer.request(program.id, ticket: ticket, suspender: program.suspender) {
      host.queue(event)
    }
  }

  /// True when a job control signal has stopped the program: a freeze would be of no use, and where programs
  /// are held still by SIGSTOP, the thaw would continue it.
  private func isStopped(_ program: Program) -> Bool {
    program.leaderStatus == nil && journal.ignoring(.gone, try Process.isStopped(program.pid)) == true
  }

  private func refusal(of program: Program) -> String? {
    do {
      let holdsDaemon = try suspenders.holdsDaemon(at: program.cgroupPath)
      return holdsDaemon ? Explanation(.holdsDaemon).line : nil
    } catch {
      return "\(error)"
    }
  }

  private func confirmFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), case .hear = freezer.confirm(id, ticket) else { return }
    // A request that the program sent before the freeze is read now; the engine then takes the freeze back.
    core.hear(program)
    if freezer.heard(id, ticket) { beginObservation(at: program, ticket) }
  }

  private func finishTrial() {
    guard let (id, passed) = freezer.finishTrial(), let program = program(id) else { return }
    ledger.note(.progress(name: program.name, passed ? .tried : .taken))
  }

  /// What there is no time for follows in the next turn.
  private func continueLook(at id: AppID) {
    guard let look = freezer.looks(id), let program = program(id) else { return }
    var isComplete = true
    do {
      let limit = Clock.boottime() + policy.lookTime.nanoseconds
      isComplete = try look.advance(program.suspender, until: limit) { observer.threadFiles(of: $0, id) }
    } catch {
      // Without ptrace rights nothing is seen before the freeze either.
      if !error.isNotPermitted { journal.noteUnexpected(error, except: .gone) }
    }
    if isComplete { freeze(program, after: look) } else { freezer.putOff(id, look.ticket) }
  }

  private func seen(_ look: ProgramLook, _ program: Program) -> Look {
    var seen = Look()
    seen.activity = look.activity
    seen.used = memory.times.looked(program.id, program.suspender).map(clock.interval)
    seen.cost = clock.interval(look.processorTime)
    return seen
  }

  // MARK: Observation

  // A program is woken by what it waits for: the observer observes, the engine evaluates, and the wake
  // sources are armed when the engine says so.

  /// A step of an observation or a watch holds the loop up no longer, in nanoseconds.
  private static var stepTime: Int64 { 1_000_000 }

  private func beginObservation(at program: Program, _ ticket: Ticket) {
    let id = program.id
    guard let registration = engine.registration(of: id) else { return }
    var obstacle: Observation.Obstacle?
    if !registration.sleepsByItself {
      // A program that was told to sleep need not be idle. A program that hands its descriptors over has
      // promised not to read them any more.
      guard program.mayTakeDescriptors, sources.hasLines(id) else {
        var observation = Observation()
        observation.isAsking = isAsking(program, registration)
        return host.queue(.observed(id, ticket, observation))
      }
      do {
        let news = try sources.takeDeclared(of: id)
        guard news.isEmpty else { return host.queue(news) }
      } catch {
        obstacle = observer.obstacle(error)
      }
    }
    sources.beginObservation(at: id)
    observer.begin(observed(program, registration), obstacle)
    continueObservation(at: id)
  }

  private func observed(_ program: Program, _ registration: Registration) -> ObservedProgram {
    ObservedProgram(
      id: program.id, pid: program.pid, pidfd: program.pidfd, hasLeader: program.leaderStatus == nil,
      suspender: program.suspender, sleepsByItself: registration.sleepsByItself,
      hasUDPKeepAlive: registration.settings.udpKeepAlive != nil, command: program.command,
      doorbells: sound.audio.doorbells(of: program.id), sound: sound.audio.straight(of: program.id),
      isAsking: isAsking(program, registration),
      signalledSince: freezer.signalledAt(program.id).map { seenAt - $0 },
      known: sources.known(of: program.id))
  }

  /// True when a process of the program waits for an answer of this daemon. What a command has not read is
  /// found among the sources of its threads; the connection of a program on the library is no source.
  private func isAsking(_ program: Program, _ registration: Registration) -> Bool {
    control.programs.connections(of: program.id).contains {
      $0.isAsking || (!registration.sleepsByItself && $0.hasUnreadAnswer)
    }
  }

  /// What there is no time for follows in the next turn.
  private func continueObservation(at id: AppID) {
    guard let ticket = freezer.observes(id) else { return }
    let (limit, used) = (Clock.boottime() + Self.stepTime, Clock.processorTime())
    while freezer.observes(id) == ticket, let outcome = observer.advance(id, until: limit) {
      switch outcome {
      case .unfinished:
        observer.spent(Clock.processorTime() - used, on: id)
        return freezer.putOff(id, ticket)
      case .found(let found): observer.attached(found.map { line(of: $0, in: id) }, of: id)
      case .stale(let key): if let event = sources.forget(key, of: id) { feed(event) }
      case .told(let told): for (line, rest) in told { sources.told(line, of: id, rest: rest) }
      case .dropLost(let last): dropLost(of: id, before: last)
      case .seen:
        observer.spent(Clock.processorTime() - used, on: id)
        return seen(id, ticket)
      }
    }
  }

  private func line(of found: FoundSource, in id: AppID) -> LineID? {
    if let line = found.line, sources.update(found, of: id) { return line }
    let modes = engine.registration(of: id)?.settings.modes ?? []
    let purpose = LinePurpose(ofCommandWith: modes)
    guard case .line(let line) = ask(.lineFound(id, purpose, found.origin, found.description.text)) else {
      return nil
    }
    sources.add(found, as: line, of: id)
    return line
  }

  private func dropLost(of id: AppID, before last: LineID?) {
    let (event, rest) = sources.dropLost(of: id, before: last)
    if let rest { observer.dropLost(of: id, before: rest) }
    if let event { feed(event) }
  }

  /// Hands the observation to the engine, which answers with `.watch` or takes the freeze back.
  private func seen(_ id: AppID, _ ticket: Ticket) {
    if let program = program(id), letGoOfMoved(program) { return }
    let (observation, isSignalTaken) = observer.observation(of: id)
    if isSignalTaken { freezer.signalTaken(id) }
    sound.listen(to: id)
    host.queue(.observed(id, ticket, observation))
  }

  func watch(_ id: AppID, ticket: Ticket, plan: WatchPlan) {
    guard let program = program(id), freezer.beginArming(id, ticket: ticket, plan: plan) else { return }
    sources.beginArming(
      of: id, plan, program.command, dryRun: program.suspender.isDryRun ? pids(of: program) : nil)
    continueArming(of: id)
  }

  private func continueArming(of id: AppID) {
    guard let ticket = freezer.arms(id) else { return }
    let limit = Clock.boottime() + Self.stepTime
    do {
      while true {
        switch try sources.armNext(of: id) {
        case .goesOn(let lost): host.queue(lost)
        case .ready(let ready): return host.queue(ready)
        case .done:
          kept.lines.prune(id) { sources.hasLine($0, of: id) }
          if let program = program(id) {
            memory.times.slept(id)
            kept.keepLinesInSleep(of: program)
          }
          return host.queue(try freezer.fallAsleep(id, watching: observer.finish(id)))
        }
        guard Clock.boottime() < limit else { return freezer.putOff(id, ticket) }
      }
    } catch {
      host.queue(.freezeRefused(id, ticket, .noDescriptor, .text("\(error)")))
    }
  }
}
