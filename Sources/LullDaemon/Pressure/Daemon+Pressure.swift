import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Begins to watch, when there is the first program that could do something about it.
  func watchPressure() { pressure.begin(cgroups: suspenders.root) }

  func pressureRose(_ trigger: Int, _ readiness: Readiness) {
    let rest = clock.boottime(at: now + host.policy.pressure.machineRest)
    guard let level = pressure.ready(trigger, readiness, orRestsUntil: rest) else { return }
    lookAtFiles()
    feed(.pressure(level))
  }

  func restPressure(_ level: MemoryPressure, _ time: Interval) {
    pressure.rest(level, until: clock.boottime(at: now + time))
  }

  // MARK: Sizes

  func measure(_ ids: [AppID], _ ticket: Ticket) {
    let found = ids.compactMap { id in program(id).map { (id, measuredSource($0)) } }
    measurements.begin(found, ticket)
  }

  private func measuredSource(_ program: Program) -> Measurements.Source {
    switch program.suspender {
    case .cgroup(let cgroup): .cgroup(path: cgroup.path)
    case .signal: .processes(pids(of: program))
    }
  }

  func sizesCame() {
    if let answer = measurements.ready(&receiveBuffer) { feed(.sizes(answer.ticket, answer.sizes)) }
  }

  // MARK: Warning and purging

  /// Warns a command by its first process alone: another one may not know the signal, and die of it.
  func warnMemory(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil,
      let number = host.engine.registration(of: id)?.settings.memorySignal
    else { return }
    freezer.signalled(id, at: seenAt)
    journal.ignoring(.ended, try Process.sendSignal(program.pidfd.raw, number))
  }

  /// Keeps the lines of a program that is about to be purged, if its next start takes them back: a program
  /// on the library does, and a command whose owner says so.
  func keepLines(_ id: AppID) {
    guard let program = program(id), program.keepsLines || engine.registration(of: id)?.speaks == true,
      let refusal = keepLines(of: program)
    else { return }
    if case .error(_, let message) = refusal {
      journal.note(program: program.name, what: "lines-not-kept", detail: message)
    }
  }

  /// The operator ends a program as if memory were short.
  func purge(_ name: String, _ client: Client) -> Reply {
    guard let id = host.engine.find(name: name) else { return noSuchProgram(name) }
    // Over a restart of lulld the client asks again for what is under way.
    if host.engine.ending(of: id) == nil {
      lookAtFile(of: name)
      let answer = ask(.purge(id))
      if case .refused(.cannotComeBack) = answer, host.engine.registration(of: id)?.speaks == true {
        return .error(
          code: .refused,
          message: "\(name) cannot come back: `lull install` it, or allow that it ends with --purgeable; if "
            + "it has one of them, `lull list` tells the mistake in its file")
      }
      guard case .done = answer else { return Reply(answer) }
    }
    control.programs.addQuitter(client, of: id)
    let left = host.engine.timeToEnd(of: id, at: now)
    return .ok(Message(.ok).adding(.remainingSeconds, left?.seconds))
  }

  // MARK: The kernel's choice

  /// Raises what has slept for long enough, and puts back what runs again, as long as there is time in this
  /// turn.
  func adjustScores() {
    let start = Clock.boottime()
    while Clock.boottime() - start < Self.scoreTime {
      if let id = scores.nextWoken() {
        putScoresBack(id)
      } else if let id = scores.nextDue(at: seenAt) {
        raiseScores(id)
      } else {
        return
      }
    }
  }

  /// The longest time that scores may hold up the loop in one turn, in nanoseconds.
  private static var scoreTime: Int64 { 1_000_000 }

  func putScoresBack(_ id: AppID) {
    scores.putBack(id) { program(id).map(pids(of:)) ?? [] }
  }

  private func raiseScores(_ id: AppID) {
    guard let program = program(id), host.engine.state(of: id) == .suspended else { return }
    lookAtFile(of: program.name)
    let pids = pids(of: program)
    guard pids.count <= host.policy.maximumProcesses else { return }
    scores.raise(id, pids, isPurgeable: host.engine.mayBePurged(id)) { record throws(SystemError) in
      try suspenders.note(record)
    }
  }
}

extension MemoryPressure {
  var leftText: String {
    switch self {
    case .warning: "nothing that sleeps may be purged; what runs is ended only when it is critical"
    case .critical: "nothing is left that may be purged"
    }
  }
}

extension Note {
  static func text(_ held: Int64?, _ isAsked: Bool) -> String {
    let size = held.map { "held \(($0 + 512) / 1024) KiB" } ?? "the operator asked for it"
    return isAsked ? "asked to end; \(size)" : size
  }
}
