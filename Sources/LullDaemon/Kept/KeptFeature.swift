import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// Lines that outlive their program: kept when it ends, told to lull-guard, given back when it starts.
final class KeptFeature: Feature {
  let core: Core
  let lines: KeptLines

  init(_ core: Core) {
    self.core = core
    lines = KeptLines(core.services, core.services.policy) { [host = core.host] event in host.queue(event) }
  }

  var deadline: Int64? { lines.deadline }

  func timeIsUp() {
    lookAtTakings()
    lines.timeIsUp { name in engine.find(name: name) != nil }
  }

  func forget(_ program: Program) {
    if !program.isUnmanaged { lines.ended(program, keeps: keepsLines(program)) }
  }

  // MARK: The end of a program

  /// Called before the program is told to end, or is killed. With `restarts` somebody starts it again at
  /// once, and what comes until then is no reason for a launch. Nil when its lines are kept, or else the
  /// reason why not.
  @discardableResult
  func keepLines(of program: Program, restarts: Bool = false) -> Reply? {
    guard !program.isUnmanaged, UnknownProgram.isStartable(program.name) else {
      return .error(.unsupported, .init(.noWayToStart, name: program.name))
    }
    let speaks = speaks(program.id)
    guard speaks || program.keepsLines else {
      return .error(.unsupported, .init(.needsKeepLines, name: program.name))
    }
    let leases = engine.program(program.id, at: now)?.leases ?? []
    guard !leases.contains(where: { $0.kind == .call }) else {
      return .error(.busy, .init(.inCall, name: program.name))
    }
    program.parts(.keepingLines(restarts: restarts))
    // What it waits for in its sleep is a part of its sockets, in another order.
    lines.woke(program.id)
    lines.keep(
      speaks ? sources.copiesOfDeclared(of: program.id) : socketCopies(of: program), of: program)
    // The guard has them before the program can end.
    tellGuardOfLines()
    if speaks, !freezer.isFrozen(program.id) { tell(program.id, .keeping) }
    return nil
  }

  /// The next start of a program on the library takes its lines back, and that of a command does if its
  /// owner says so.
  func keepLines(ofPurged id: AppID) {
    guard let program = program(id), program.keepsLines || speaks(id),
      let refusal = keepLines(of: program)
    else { return }
    if case .error(_, let message) = refusal {
      journal.note(program: program.name, what: "lines-not-kept", detail: message)
    }
  }

  private func socketCopies(of program: Program) -> [LineCopy] {
    guard let rules = program.command else { return [] }
    return CommandSockets(rules: rules, closer: services.closer, log: journal)
      .copies(of: pids(of: program), atMost: Limits.maximumKeptLines)
  }

  /// For a program over which the daemon has no ptrace rights, before it ends.
  func keep(_ descriptor: DescriptorBox, _ line: LineID, of program: Program) -> Reply {
    guard sources.hasLine(line, of: program.id) else { return Reply(.noSuchLine(line)) }
    if let identity = journal.ignoring([], try FileIdentity.of(descriptor.raw)) {
      let copy = LineCopy(
        line: line, descriptor: descriptor, identity: identity,
        description: Socket.describe(descriptor.raw))
      lines.keep([copy], of: program)
    }
    return .ok
  }

  /// The first process of a command has ended. What the command waited for in its sleep is all that is left
  /// of its lines, and only until the rest of it is woken.
  func keepLinesAfterCrash(of program: Program) {
    if let copies = copiesInSleep(of: program) { lines.keep(copies, of: program) }
  }

  /// Nothing is sent to lull-guard for a program whose lines end with it.
  func keepLinesInSleep(of program: Program) {
    if let copies = copiesInSleep(of: program) { lines.sleeps(program, with: copies) }
  }

  /// Nil for a program whose lines are not kept after a crash, or that speaks for itself.
  private func copiesInSleep(of program: Program) -> [LineCopy]? {
    guard program.keepsLines, program.parting == nil, let rules = program.command,
      !speaks(program.id)
    else { return nil }
    return sources.copiesOfFound(of: program.id).filter {
      CommandSockets.keeps($0.description) && rules.watches($0.description)
    }
  }

  /// A command whose lines are kept is killed where any other one is asked to end: it would take its leave
  /// of its peers.
  func isKilledForItsLines(_ program: Program) -> Bool {
    guard case .keepingLines = program.parting else { return false }
    return !speaks(program.id) && lines.hasLines(of: program.name)
  }

  private func keepsLines(_ program: Program) -> Bool {
    let wishes: Bool
    switch program.parting {
    case .keepingLines, .leavingLines: wishes = true
    case .forGood: wishes = false
    case nil: wishes = program.hasCrashed && lines.hasLines(of: program.name)
    }
    return wishes && UnknownProgram.isStartable(program.name)
  }

  /// The kept lines of a program that does not run are closed, and it is started no more.
  func quitEnded(_ name: String, keepsLines: Bool, _ client: Client) -> Reply? {
    guard !keepsLines else { return noSuchProgram(name) }
    let installed = engine.installed(name)
    ledger.wasQuit(name, restarts: false)
    _ = ask(.forceQuit(name))
    let hadLines = lines.drop(name)
    guard hadLines || installed != nil else { return noSuchProgram(name) }
    if !hadLines, installed?.state == .quit {
      return .error(.noSuchProgram, .init(.quitAlready, name: name))
    }
    reply(.ok(Message(.ok).adding(.state, ApplicationState.notRunning.rawValue)), to: client)
    send(Message(event: .ended).adding(.name, name), to: client)
    return nil
  }

  func setState(_ descriptor: DescriptorBox?, of line: LineID, _ program: Program) -> Reply {
    guard let descriptor else { return .missingDescriptor }
    do {
      let size = try Files.memoryFileSize(descriptor.raw, limit: .max)
      guard size <= Limits.maximumLineState else {
        return .error(
          .badValue,
          .init(.stateTooLarge, limit: Double(Limits.maximumLineState), bytes: size))
      }
      let bytes = try Files.readMemoryFile(descriptor.raw, limit: Limits.maximumLineState)
      return lines.setState(bytes, of: line, of: program.id)
    } catch {
      return .error(.badValue, .init(.stateNotMemory, error: error.message))
    }
  }

  // MARK: The next start

  /// For whoever is about to start the program: what is known of all its lines, or the descriptor of one.
  func hand(_ name: String, line: LineID?, _ client: Client) -> Reply? {
    if let line {
      guard let descriptor = lines.descriptor(of: line, name) else { return Reply(.noSuchLine(line)) }
      tellFollowers()
      control.send(Message(.ok).adding(.line, line.number), to: client, descriptor: descriptor)
      return nil
    }
    let kept = lines.hand(name)
    let answer = Message(.ok).adding(.count, kept.count)
    guard !kept.isEmpty else { return .ok(answer) }
    do {
      let file = DescriptorBox(try Files.memoryFile(name: "lull-lines", KeptLine.text(kept)))
      tellFollowers()
      control.send(answer, to: client, descriptor: file)
      return nil
    } catch {
      return .error(.busy, .init(.noMemory, error: error.message))
    }
  }

  // MARK: lull-guard, and what is shown

  func tellGuardOfLines() { for news in lines.takeNews() { tellGuard(news) } }

  func tellGuardOfAllLines() {
    _ = lines.takeNews()
    for news in lines.all() { tellGuard(news) }
    guardianship.tell(Message(.dropLine))
  }

  private func tellGuard(_ news: KeptLines.News) {
    switch news {
    case .keep(let message, let descriptor): guardianship.tell(message, descriptor: descriptor)
    case .drop(let message): guardianship.tell(message)
    }
  }

  /// The daemon before this one may have been about to end the line's program.
  func restore(_ line: KeptLine, _ descriptor: DescriptorBox) {
    let id = engine.find(name: line.program)
    // The race: its program was taken back and has ended before this came.
    let end = ledger.predecessor.program(line.program).flatMap { entry in
      id == nil ? ledger.ledger.ends.last { $0.process == entry.process } : nil
    }
    let waits = end.map { $0.isCrash || line.ending != nil } ?? false
    lines.restore(line, descriptor, isRunning: id != nil, hasEnded: waits)
    guard !line.isWaiting, let program = id.flatMap(program) else { return }
    if let ending = line.ending {
      program.parts(.keepingLines(restarts: ending == .restart))
    } else if line.purpose == nil, !hasEnded(program) {
      // The command slept when the daemon before this one died. A SIGKILL may be on its way to it.
      lines.letsGoSoon(line.id)
    }
  }

  // MARK: Taking

  // Commands that got lines back: the daemon looks, and the engine's rule says whether they take them
  // (`LineTaking`).

  /// A command that does not take its lines is asked to end, and is started once without them.
  private func lookAtTakings() {
    for id in lines.dueForLook() {
      guard let program = program(id), program.parting == nil, program.leaderStatus == nil,
        let rules = program.command, !speaks(id)
      else {
        lines.stopLooking(at: id, areTaken: speaks(id))
        continue
      }
      guard lines.saw(takingLook(at: program, rules), at: id) else { continue }
      program.parts(.leavingLines)
      _ = ask(.transition(id, .quit))
    }
  }

  private func takingLook(at program: Program, _ rules: CommandRules) -> TakingLook {
    var (look, isPermitted) = (TakingLook(), true)
    let (pids, end) = (pids(of: program), Clock.boottime() + policy.keptLookLimit.nanoseconds)
    // A command that a signal has stopped has had no time to take anything.
    let isStopped = journal.ignoring(.gone, try Process.isStopped(program.pid)) ?? true
    if pids.isEmpty || (isStopped && !freezer.isFrozen(program.id)) { look.isIdle = false }
    for pid in pids where isPermitted {
      do throws(SystemError) {
        if try Process.activity(of: pid, until: end) != .waits { look.isIdle = false }
        let found = try Process.awaitedSockets(of: pid, limit: policy.maximumDescriptors, until: end)
        look.awaitedInodes.formUnion(found.inodes)
        if !found.isWhole { look.isIdle = false }
      } catch {
        look.isIdle = false
        isPermitted = !error.isNotPermitted
        if isPermitted { journal.noteUnexpected(error, except: [.gone, .tooMany]) }
      }
    }
    guard isPermitted else { return look }
    look.sockets = CommandSockets(rules: rules, closer: services.closer, log: journal, takesAll: true)
      .copies(of: pids, atMost: policy.keptLookSockets)
    return look
  }
}
