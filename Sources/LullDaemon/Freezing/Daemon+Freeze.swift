import LullEngine
import LullSystem
import LullWire

// Freeze, confirm, hear what the program still said, look, arm, poll once more. In this order no byte is
// lost; the naive edge-triggered order loses one wake in forty.
extension Daemon {
  func decideFreeze(_ id: AppID, _ ticket: Ticket) {
    program(id)?.freezing = .decided(ticket)
    freezes.append(.begin(id, ticket))
  }

  /// How long freezes and looks may hold up the loop in one turn, in nanoseconds.
  private static var freezingTime: Int64 { 1_000_000 }

  /// Carries out the freezes that were put off to the end of the turn, or as many as there is time for.
  func advanceFreezes() {
    let start = Clock.boottime()
    while !freezes.isEmpty, Clock.boottime() - start < Self.freezingTime { advance(freezes.removeFirst()) }
  }

  private func advance(_ step: FreezeStep) {
    switch step {
    case .begin(let id, let ticket): beginFreeze(id, ticket)
    case .confirm(let id, let ticket): confirmFreeze(id, ticket)
    }
    pump()
  }

  /// One step of each look that is under way. What is not done then goes on in the next turn, so that
  /// nobody's wake waits for it.
  func advanceLooks() {
    let start = Clock.boottime()
    for _ in 0..<looks.count where Clock.boottime() - start < Self.freezingTime {
      let (id, ticket) = looks.removeFirst()
      guard let program = program(id), program.look?.ticket == ticket else { continue }
      continueLook(at: program)
      pump()
    }
  }

  /// The operator is told what came of it.
  func finishFreeze(of id: AppID) {
    while let index = freezes.firstIndex(where: { $0.program == id }) { advance(freezes.remove(at: index)) }
    while let program = program(id), let look = program.look, look.next != nil {
      looks.removeAll { $0.id == id }
      continueLook(at: program)
      pump()
    }
  }

  /// A freeze that was taken back meanwhile must not be written: nobody would undo it.
  private func beginFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), case .decided(ticket) = program.freezing else { return }
    // Thawed and to be frozen again in one turn: the old duplicates go first.
    release(program)
    guard program.mayTakeDescriptors || program.lines.isEmpty || program.speaker == nil else {
      program.freezing = .preparing(ticket)
      return tell(id, Message(event: .prepare).adding(.ticket, ticket.number))
    }
    requestFreeze(program, ticket)
  }

  func requestFreeze(_ program: Program, _ ticket: Ticket) {
    guard isWatched(program, ticket) else { return }
    program.freezing = .requested(ticket)
    do {
      guard try !holdsDaemon(program) else {
        return events.append(
          .freezeRefused(program.id, ticket, .failed, .text("lulld itself is in its cgroup")))
      }
      try program.suspender.freeze()
      if try program.suspender.confirmFrozen() { return freezes.append(.confirm(program.id, ticket)) }
      confirmLater(program, ticket, after: Self.firstRecheck)
    } catch {
      events.append(.freezeRefused(program.id, ticket, .failed, .text("\(error)")))
    }
  }

  private static var firstRecheck: Int64 { 250_000 }
  private static var lastRecheck: Int64 { 4_000_000 }

  /// The freeze is slow. Until it is confirmed no line is watched, so the state is read again soon: the
  /// kernel's notification of cgroup.events can come 10 ms late. The engine's limit bounds the tries.
  private func confirmLater(_ program: Program, _ ticket: Ticket, after wait: Int64) {
    program.recheckWait = wait
    rechecks.append((Clock.boottime() + wait, program.id, ticket))
  }

  var nextRecheck: Int64? { rechecks.map(\.at).min() }

  func recheckFreezes() {
    let now = Clock.boottime()
    for (at, id, ticket) in rechecks where at <= now { freezes.append(.confirm(id, ticket)) }
    rechecks.removeAll { $0.at <= now }
  }

  /// The kernel has confirmed the freeze, or is asked again.
  private func confirmFreeze(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), case .requested(ticket) = program.freezing else { return }
    guard (try? program.suspender.isFrozen()) == true else {
      return confirmLater(program, ticket, after: min(2 * program.recheckWait, Self.lastRecheck))
    }
    // A request that the program sent before the freeze overtook it is heard now; the engine then
    // takes the freeze back, and `freezing` says so.
    hear(program)
    guard case .requested(ticket) = program.freezing else { return }
    program.freezing = .frozen
    beginLook(at: program, ticket)
  }

  /// Every process of it is heard, also those that only ask: a reply must not come into its sleep.
  private func hear(_ program: Program) {
    acceptClients()
    for client in program.connections {
      clientReady(client)
      flush(client)
    }
  }
}
