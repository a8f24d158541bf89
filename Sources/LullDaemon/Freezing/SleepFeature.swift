import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The sleep of programs: look, freeze, confirm, read the last requests of the program, observe, arm, poll once
/// more. In this order no byte is lost; the naive edge-triggered order loses one wake in forty.
final class SleepFeature: Feature {
  let core: Core
  let kept: KeptFeature
  let memory: MemoryFeature
  let pressure: PressureFeature
  let sound: SoundFeature

  init(
    _ core: Core, _ kept: KeptFeature, _ memory: MemoryFeature, pressure: PressureFeature,
    sound: SoundFeature
  ) {
    (self.core, self.kept, self.memory, self.pressure, self.sound) = (core, kept, memory, pressure, sound)
  }

  var deadline: Int64? { freezer.nextRecheck }

  func timeIsUp() { freezer.recheckDue() }

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
      StandardError.say("lulld: \(program.name) cannot be thawed: \(error); `lull doctor --thaw` tries again")
    }
  }

  /// The longest time that freezes and observations may hold up the loop in one turn, in nanoseconds.
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

  /// Carries out the freeze of one program now, so that the operator is told its result.
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

  func freeze(_ program: Program, after look: ProgramLook) {
    let ticket = look.ticket
    guard guardianship.mayFreeze() else {
      let why = "no lull-guard would thaw it if lulld died"
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
      return try suspenders.holdsDaemon(at: program.cgroupPath) ? "lulld itself is in its cgroup" : nil
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
      let limit = Clock.boottime() + engine.policy.lookTime.nanoseconds
      isComplete = try look.advance(program.suspender, until: limit)
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
}
