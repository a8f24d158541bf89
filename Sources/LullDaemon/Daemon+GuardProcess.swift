import LullEngine
import LullSystem
import LullWire

// The life of lull-guard. If this process died without one, nobody would thaw the programs: then none is put
// to sleep, and those that sleep are woken.
extension Daemon {
  func guardWatches() {
    guard case .expected(let link, let process, let since) = watching else { return }
    watching = .watched(link, process, since: since)
    guardStart = nil
    // The first one was there before this process.
    guard guardHasEnded else { return }
    journal.note(at: Clock.realtime(), program: nil, what: "guard-replaced")
  }

  func guardianGone() {
    guard case .expected(let link, let process, let since) = watching.asExpected else { return }
    try? epoll.remove(link.descriptor.raw)
    if let start = guardStart, case .failed(let error)? = try? Process.execResult(start.raw) {
      Startup.complain("lulld: no new lull-guard: \(error)")
    }
    guardStart = nil
    if let process { unreaped.append(process) }
    guardHasEnded = true
    let wait = guardDeaths.next(after: Clock.boottime() - since)
    watching = .missing(until: Clock.boottime() + wait)
    childrenChanged()
    // The commands that it was the parent of are nobody's children here: their pidfds tell that they ended,
    // also when they have already.
    for case let program? in programs where program.isRestored && program.leaderStatus == nil {
      program.isRestored = false
      try? epoll.modify(
        program.pidfd.raw, token: program.token(.process).raw, interest: [.readable, .oneShot])
    }
    loseOrphans()
    guard wait > 0 else { return startGuardIfDue() }
    journal.note(at: Clock.realtime(), program: nil, what: "guard-missing")
    wakeSleepers()
  }

  /// How long a guard may take to say that it watches, in nanoseconds.
  private static var beginningTime: Int64 { 5_000_000_000 }

  var nextGuard: Int64? {
    switch watching {
    case .missing(let moment): moment
    case .expected(_, _, let since): guardHasEnded ? since + Self.beginningTime : nil
    case .watched, .nobody: nil
    }
  }

  func startGuardIfDue() {
    guard let moment = nextGuard, moment <= Clock.boottime() else { return }
    if case .expected(_, let process, _) = watching {
      if let process { try? Process.sendSignal(process.raw, Signal.kill) }
      return guardianGone()
    }
    do {
      let (link, process) = try startGuard()
      try epoll.add(link.descriptor.raw, token: Token(.guardian).raw, interest: .readable)
      watching = .expected(link, process, since: Clock.boottime())
      tellGuardEverything()
    } catch {
      watching = .missing(until: Clock.boottime() + guardDeaths.next(after: 0))
      Startup.complain("lulld: no new lull-guard: \(error); every program is woken")
      journal.note(at: Clock.realtime(), program: nil, what: "guard-missing", detail: "\(error)")
      wakeSleepers()
    }
  }

  private func startGuard() throws(SystemError) -> (GuardLink, DescriptorBox) {
    pollSignalsApart()
    let (own, other) = try UnixSocket.pair()
    let this = try Process.pidfdOpen(Identity.pid())
    var request = SpawnRequest([try Startup.sibling("lull-guard"), "--adopt"] + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener.raw, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
      .init(this.raw, as: DaemonOptions.wardNumber), .init(epoll.raw, as: DaemonOptions.wardEpollNumber),
    ]
    request.passed += options.lockPassed
    request.group = .newSession
    request.openFileLimit = options.openFileLimit
    let spawned = try Process.spawn(request)
    processes.guardReplaced(by: spawned.pid, takesOrphans: place.root == nil)
    let (pidfd, status) = spawned.boxes()
    guardStart = status
    return (GuardLink(own), pidfd)
  }

  /// Writes what waits for the guard when there is room. One that does not read may be stopped: nothing tells
  /// its child so, and to be continued does no harm to one that runs.
  func watchGuard() {
    guard let guardian else { return }
    guardian.watch(in: epoll, token: Token(.guardian).raw)
    if guardian.hasOutput { continueGuard() }
  }

  private func continueGuard() {
    guard case .watched(_, let process?, _) = watching else { return }
    try? Process.sendSignal(process.raw, Signal.continue)
  }

  /// Whether a program may be frozen now: somebody would thaw it if this process died.
  func isWatched(_ program: Program, _ ticket: Ticket) -> Bool {
    switch watching {
    case .nobody: return true
    case .expected, .missing:
      let why = "no lull-guard would thaw it if lulld died"
      events.append(.freezeRefused(program.id, ticket, .failed, .text(why)))
      return false
    case .watched: continueGuard()
    }
    return !program.awaitsTrial || mayTry(program, ticket)
  }

  /// One first freeze at a time: if this process dies of it, the guard must know of which. The others wait.
  private func mayTry(_ program: Program, _ ticket: Ticket) -> Bool {
    guard trial == nil || trial === program else {
      program.freezing = .decided(ticket)
      laterTrials.append(.begin(program.id, ticket))
      return false
    }
    trial = program
    guardian?.tell(Message(.trying).adding(.name, program.name))
    return true
  }

  /// The first freeze of a restored program has come to its end, or will be tried again.
  func finishTrial() {
    defer { if trial == nil, !laterTrials.isEmpty { freezes.append(laterTrials.removeFirst()) } }
    guard let program = trial else { return }
    switch program.freezing {
    case .decided, .preparing, .requested: return
    case .frozen:
      guard program.look == nil else { return }
      program.awaitsTrial = false
    case .none: break
    }
    trial = nil
    let verb = program.awaitsTrial ? GuardVerb.restored : .tried
    guardian?.tell(Message(verb).adding(.name, program.name))
  }

  /// A child has ended or was stopped. Commands are none of this: they end by their pidfds, and who stops one
  /// wants it stopped.
  func childrenChanged() {
    unreaped.removeAll { child in
      do { return try Process.waitStatus(child.raw) != nil } catch { return true }
    }
    switch watching {
    case .watched(_, let process?, _), .expected(_, let process?, _): proceed(process)
    default: break
    }
    if let sound { proceed(sound.pidfd) }
  }

  private func proceed(_ child: DescriptorBox) {
    guard (try? Process.hasStopped(child.raw)) == true else { return }
    try? Process.sendSignal(child.raw, Signal.continue)
  }
}

extension Watching {
  /// A guard that was there or was to come.
  fileprivate var asExpected: Watching {
    if case .watched(let link, let process, let since) = self {
      return .expected(link, process, since: since)
    }
    return self
  }
}
