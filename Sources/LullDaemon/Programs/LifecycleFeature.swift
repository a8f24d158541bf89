import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The lives of programs: they come by registration, as commands or from the daemon before; they end by
/// themselves, by a request or with the daemon.
final class LifecycleFeature: Feature {
  let core: Core
  let kept: KeptFeature
  let journaling: JournalFeature
  let installed: InstalledFeature
  private let desktop: DesktopFeature
  let surroundings: SurroundingsFeature
  private let pressure: PressureFeature
  private let network: NetworkFeature
  private let ending: DaemonEnding
  let reservations: Reservations
  let exits = Exits()
  var exempt = ExemptCommands()

  init(
    _ core: Core, kept: KeptFeature, journaling: JournalFeature, installed: InstalledFeature,
    desktop: DesktopFeature, surroundings: SurroundingsFeature,
    pressure: PressureFeature, network: NetworkFeature, ending: DaemonEnding
  ) {
    (self.core, self.kept, self.journaling, self.installed) = (core, kept, journaling, installed)
    (self.desktop, self.surroundings, self.pressure) = (desktop, surroundings, pressure)
    (self.network, self.ending) = (network, ending)
    reservations = Reservations(core.services)
  }

  var deadline: Int64? {
    earlier(
      earlier(programs.deadline, reservations.deadline), earlier(awaited.deadline, ending.deadline))
  }

  func timeIsUp() {
    programsLeave()
    giveUpOldReservations()
  }

  func register(_ register: Request.Register, _ client: Client) -> Reply {
    // The connection has ended before it was heard: its process says the same anew on the next one.
    guard !client.hasLeft else { return .unheard }
    let registration = Registration(register)
    surroundings.lookAround()
    // Another connection of the process may have registered since this one was made: one process is one
    // program.
    if case .operator = client.role, let path = suspenders.cgroupPath(of: client.pid),
      Process.isNumbered(client.pidfd.raw), let program = programs.first(inCgroup: path)
    {
      control.programs.enter(client, program.id)
    }
    if case .program(let id) = client.role, let program = program(id) {
      if program.isUnmanaged {
        return manage(program, as: registration, register, client: client)
      }
      forgetPredecessor(of: program, client)
      // A program on the library begins anew.
      if self.program(id) != nil { return adopt(program, as: registration, register, client: client) }
    }
    guard !isOwn(client.pid) else { return ownProcess }
    // A program that comes back is no new wish of somebody's, so it boots nothing.
    if !registersAgain(register, client) {
      guard !isTaken(registration.name) else { return Reply(.nameInUse(registration.name)) }
      installed.bootNow()
    }
    let suspender = suspenders.suspender(registered: registration.name, client.pid, client.pidfd)
    let seed = ProgramSeed(
      name: registration.name, kind: .library, suspender: suspender, pid: client.pid, pidfd: client.pidfd,
      speaker: client.slot)
    guard let program = admit(seed, registration) else {
      suspenders.dismiss(suspender)
      return admissionRefusal
    }
    return begins(program, as: register, client)
  }

  func registersAgain(_ register: Request.Register, _ client: Client) -> Bool {
    awaited.holds(register.name, pid: client.pid)
  }

  /// What the last connection of a process has said is undone if that has ended: the next one says it anew.
  /// Its end, which may be seen only now, undoes nothing more.
  private func forgetPredecessor(of program: Program, _ client: Client) {
    guard program.isCommand || program.pid == client.pid, speaks(program.id),
      control.programs.speaker(of: program.id)?.hasLeft != false
    else { return }
    letGo(program, for: client)
  }

  /// The process was started without the lines that were kept for its name.
  private func begins(_ program: Program, as register: Request.Register, _ client: Client) -> Reply {
    program.take(register.settings.schemes)
    if register.settings.keepsLines { program.keepLinesAfterCrash() }
    kept.lines.started(program)
    return registered(program, client)
  }

  private func registered(_ program: Program, _ client: Client) -> Reply {
    let state = engine.state(of: program.id) ?? .notRunning
    let message = Message(.ok).adding(.name, program.name).adding(.state, state.rawValue)
      .adding(.handover, !program.mayTakeDescriptors).adding(.suspender, program.suspender.word.rawValue)
      .adding(.wakesMachine, reactor.wakesMachine)
    return .ok((program.takeLaunch() ?? Launch(.user)).adding(to: message))
  }

  /// A process in a managed command becomes the program's voice. A second one only shares the program.
  private func adopt(
    _ program: Program, as registration: Registration, _ register: Request.Register, client: Client
  ) -> Reply {
    guard control.programs.speaker(of: program.id) == nil else { return registered(program, client) }
    control.programs.setSpeaker(of: program.id, client)
    programs.stays(program.id)
    sources.dropAll(of: program.id)
    var registration = registration
    if program.isLaunchedIntoBackground { registration.launch = .background }
    registration.link = program.link
    registration.isAdopted = program.isAdopted
    kept.lines.silence(program.id)
    let answer = ask(.adopt(program.id, registration))
    guard case .registered = answer else { return Reply(answer) }
    program.take(register.settings.schemes)
    if register.settings.keepsLines { program.keepLinesAfterCrash() }
    note(program)
    return registered(program, client)
  }

  /// True for this daemon, its guard and its own children, which must never stand still. A command is a child
  /// too, but connects for its program.
  func isOwn(_ pid: Int32) -> Bool {
    let own = Identity.pid()
    guard pid > 1, pid != own else { return true }
    guard suspenders.root != nil else { return false }
    return parent(of: own) == pid || parent(of: pid) == own
  }

  private var ownProcess: Reply {
    .error(.refused, .init(.ownProcess))
  }

  /// The audio sessions of an unmanaged client stay its own.
  private func manage(
    _ unmanaged: Program, as registration: Registration, _ register: Request.Register, client: Client
  ) -> Reply {
    let other = engine.find(name: registration.name)
    guard other == unmanaged.id || registersAgain(register, client) || !isTaken(registration.name) else {
      return Reply(.nameInUse(registration.name))
    }
    guard !isOwn(client.pid) else { return ownProcess }
    let suspender = suspenders.suspender(registered: registration.name, client.pid, client.pidfd)
    unmanaged.becomeManaged(name: registration.name, suspender, cgroupPath: suspenders.path(of: suspender))
    control.programs.setSpeaker(of: unmanaged.id, client)
    notes.noteSuspender(suspender, of: unmanaged.id)
    let answer = ask(.adopt(unmanaged.id, registration))
    guard case .registered = answer else { return Reply(answer) }
    beginManaging(unmanaged)
    return begins(unmanaged, as: register, client)
  }

  /// The program is in its place before the first effect for it is performed.
  func admit(_ seed: ProgramSeed, _ registration: Registration) -> Program? {
    let modes = registration.settings.modes
    if !modes.isDisjoint(with: [.externalAccessory, .fetch]) { surroundings.lookAround() }
    let answer = ask(.register(registration)) { answer in
      if case .registered(let id, _) = answer { place(seed, as: id) }
    }
    guard case .registered(let id, _) = answer, let program = program(id) else { return nil }
    do {
      try program.watch(in: reactor)
    } catch {
      // The end of the program would be seen by nobody.
      if program.isCommand, !program.isAdopted { journal.ignoring(.gone, try seed.suspender.kill()) }
      feed(.leave(id))
      return nil
    }
    if !program.isUnmanaged { beginManaging(program) }
    if program.isAdopted { network.adopted(program) }
    return program
  }

  private func beginManaging(_ program: Program) {
    installed.noteInstalled(program.name)
    installed.keepers.arrived(program.name)
    if let process = program.process { awaited.take(process, name: program.name) }
    note(program)
    ending.came(slot: Int(program.id.slot))
    desktop.watchMachine()
    pressure.watchPressure()
  }

  var admissionRefusal: Reply {
    engine.programs.count < policy.maximumPrograms
      ? .error(.busy, .init(.watchesUsedUp))
      : Reply(.tooManyPrograms(policy.maximumPrograms))
  }

  private func place(_ seed: ProgramSeed, as id: AppID) {
    let program = Program(
      seed, id: id, cgroupPath: suspenders.path(of: seed.suspender),
      mayTakeDescriptors: Program.mayTakeDescriptors(of: seed.pidfd))
    programs.add(program)
    control.programs.begin(id)
    if !program.isUnmanaged { notes.noteSuspender(seed.suspender, of: id) }
    guard let speaker = seed.speaker.flatMap({ control[$0] }) else { return }
    control.programs.enter(speaker, id)
    control.programs.setSpeaker(of: id, speaker)
  }

  /// The process may be ending, which its pidfd tells a moment later; the program has left only when the
  /// process lives on.
  func speakerGone(_ program: Program) {
    guard !program.isUnmanaged else { return }
    programs.mayLeave(program.id, at: Clock.boottime() + policy.disconnectGrace.nanoseconds)
  }

  private func programsLeave() {
    for program in programs.takeLeaving(by: Clock.boottime())
    where program.leaderStatus == nil && control.programs.speaker(of: program.id) == nil {
      sources.dropAll(of: program.id)
      feed(.leave(program.id))
    }
  }

  /// The sound of a process that belongs to no program is heard. Returns the refusal.
  func becomeUnmanaged(_ client: Client) -> Reply? {
    let command = journal.ignoring(.gone, try Process.commandName(of: client.pid)) ?? "program"
    guard let name = freeName(for: command) else { return Reply(.nameInUse(command)) }
    // A call that rings interrupts others as the call will.
    var registration = Registration(
      name: name, modes: desktop.alerts.isRinging(client.pid) ? [.voip, .audio] : [])
    registration.speaks = false
    registration.isUnmanaged = true
    let suspender = suspenders.suspender(outside: client.pid, client.pidfd)
    let seed = ProgramSeed(
      name: name, kind: .unmanagedClient, suspender: suspender, pid: client.pid, pidfd: client.pidfd,
      speaker: client.slot)
    return admit(seed, registration) == nil ? admissionRefusal : nil
  }
}

extension Registration {
  fileprivate init(_ register: Request.Register) {
    self.init(name: register.name, register.settings)
    launch = register.launch ?? .foreground
    profile = register.profile ?? .ios4
    resumes = register.resume
  }
}
