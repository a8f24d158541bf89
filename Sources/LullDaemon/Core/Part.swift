import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// Whoever works on the core, which it names in short.
protocol Part {
  var core: Core { get }
}

extension Part {
  var services: SharedServices { core.services }
  var options: DaemonOptions { core.services.options }
  var reactor: DaemonReactor { core.services.reactor }
  var journal: Journal { core.services.journal }
  var host: EngineHost { core.host }
  var engine: Engine { core.host.engine }
  var policy: Policy { core.host.policy }
  var clock: EngineClock { core.host.clock }
  var now: Moment { core.host.now }
  var seenAt: Int64 { core.host.seenAt }
  var control: ControlServer { core.control }
  var programs: ProgramTable { core.programs }
  var notes: HealthNotes { core.programs.notes }
  var freezer: Freezer { core.freezing.freezer }
  var observer: Observer { core.freezing.observer }
  var sources: WakeSources { core.freezing.sources }
  var suspenders: Suspenders { core.suspenders }
  var ledger: LedgerStore { core.ledger }
  var awaited: Awaited { core.awaited }
  var guardianship: GuardSupervisor { core.guardianship }

  func program(_ id: AppID) -> Program? { core.programs[id] }

  func program(named name: String) -> Program? { engine.find(name: name).flatMap(program) }

  // MARK: The engine

  /// The program speaks through the library.
  func speaks(_ id: AppID) -> Bool { engine.registration(of: id)?.speaks == true }

  func feed(_ event: Event) { core.feed(event) }

  func pump() { core.pump() }

  func ask(_ request: Engine.Request, beforeEffects: (Engine.Answer) -> Void = { _ in }) -> Engine.Answer {
    core.ask(request, beforeEffects: beforeEffects)
  }

  // MARK: Clients

  func send(_ message: Message, to client: Client) { control.send(message, to: client) }

  func reply(_ reply: Reply, to client: Client) {
    tellFollowers()
    send(reply.message, to: client)
  }

  func answer(_ report: Report, _ client: Client) -> Reply? {
    control.answer(report, to: client, core.records(of:atMost:))
    return nil
  }

  func tell(_ id: AppID, _ notice: ProgramNotice) {
    guard let speaker = control.programs.speaker(of: id) else { return }
    send(notice.message, to: speaker)
  }

  /// Entries are only formatted once a client has followed.
  func tellFollowers() {
    for entry in journal.untold() {
      control.broadcast(entry.item.adding(to: Message(event: .entry)), to: .log)
    }
  }

  // MARK: Programs

  func noSuchProgram(_ name: String) -> Reply {
    comesBack(name) ? notBackYet(name) : unknown(name)
  }

  func notBackYet(_ name: String) -> Reply {
    .error(.busy, .init(.notBackYet, name: name))
  }

  func unknown(_ name: String) -> Reply {
    let why: Explanation =
      UnknownProgram.isStartable(name)
      ? .init(.notRunning, name: name)
      : .init(
        .unknownProgram, name: name, text: UnknownProgram.nearest(to: name, running: programs.map(\.name)))
    return .error(.noSuchProgram, why)
  }

  /// True for a program that runs and is still to come back by itself, so that it is not managed yet.
  func comesBack(_ name: String) -> Bool {
    if let entry = ledger.ledger.program(name), entry.command == nil, !entry.process.hasEnded { return true }
    // Its keeper has seen the socket of this daemon, and hands it over. The race: the keeper of a program
    // that has ended under this daemon is about to end as well.
    return ledger.ledger.program(name) == nil && !ledger.ledger.sawEnd(of: name, after: ledger.predecessor)
      && (!ledger.isWhole || ledger.predecessor.mayBeHandedOver(name))
      && UnixSocket.isListening(path: "\(RuntimeDirectory.keepers())/\(name)")
  }

  /// True while a program of that name has still to register again.
  func isAwaited(_ name: String) -> Bool {
    program(named: name).map { isAwaited($0) } ?? awaited.holds(name)
  }

  /// True for a command on the library that was taken back and has not registered yet.
  func isAwaited(_ program: Program) -> Bool {
    program.registersAgain(at: seenAt) && !speaks(program.id)
  }

  func pids(of program: Program) -> [Int32] {
    journal.ignoring(.gone, try program.suspender.processes()) ?? []
  }

  func parent(of pid: Int32) -> Int32? {
    journal.ignoring(.gone, try Process.parentPid(of: pid))
  }

  /// A debugger, or another one that traces a process of the program.
  func tracer(of program: Program) -> Int32? {
    for pid in pids(of: program).prefix(policy.maximumProcesses) {
      if let tracer = journal.ignoring(.gone, try Process.tracer(of: pid)) ?? nil { return tracer }
    }
    return nil
  }

  /// Somebody has moved an adopted program out of its cgroup: it is theirs. What comes now would wake nobody.
  func letGoOfMoved(_ program: Program) -> Bool {
    guard program.isAdopted, program.leaderStatus == nil, case .cgroup(let cgroup) = program.suspender,
      (try? cgroup.state().populated) == false, !hasEnded(program)
    else { return false }
    letGo(program)
    return true
  }

  /// It runs on, and is managed no more.
  func letGo(_ program: Program) {
    sources.dropAll(of: program.id)
    feed(.letGo(program.id))
  }

  func hasEnded(_ program: Program) -> Bool {
    let readiness = journal.ignoring(
      [], try Socket.poll(program.pidfd.raw, .readable, timeoutMilliseconds: 0))
    return readiness?.isEmpty == false
  }
}
