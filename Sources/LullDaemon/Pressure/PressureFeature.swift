import LullEngine
import LullSystem
import LullWire

/// Memory that runs short: the kernel's reports, the sizes of programs, purges, and the kernel's own choice.
final class PressureFeature: Feature {
  let core: Core
  private let installed: InstalledFeature
  private let watch: PressureWatch
  private let measurements: Measurements
  let scores: Scores

  init(_ core: Core, _ installed: InstalledFeature) throws(SystemError) {
    (self.core, self.installed) = (core, installed)
    let policy = core.services.policy.pressure
    watch = PressureWatch(core.services, policy)
    measurements = try Measurements(core.services)
    scores = Scores(policy, clock: core.host.clock, journal: core.services.journal)
  }

  var deadline: Int64? { earlier(watch.deadline, scores.deadline) }

  func timeIsUp() { watch.timeIsUp(at: seenAt) }

  func turnEnds() { adjustScores() }

  func forget(_ program: Program) {
    putScoresBack(program.id)
    scores.forget(program.id)
  }

  /// Called when there is a program that could do something about it.
  func watchPressure() { watch.begin(cgroups: suspenders.root) }

  func pressureRose(_ trigger: Int, _ readiness: Readiness) {
    let rest = clock.boottime(at: now + policy.pressure.machineRest)
    guard let level = watch.ready(trigger, readiness, orRestsUntil: rest) else { return }
    installed.lookAtFiles()
    feed(.pressure(level))
  }

  func restPressure(_ level: MemoryPressure, _ time: Interval) {
    watch.rest(level, until: clock.boottime(at: now + time))
  }

  var checks: [DaemonCheckItem] {
    [
      pressureCheck,
      DaemonCheckItem(
        "oom-score", scores.failure == nil ? .yes : .limited, detail: scores.failure?.description),
    ]
  }

  private var pressureCheck: DaemonCheckItem {
    watchPressure()
    let paths = watch.paths
    guard !paths.isEmpty else {
      return DaemonCheckItem("memory-pressure", .limited, detail: watch.failure?.description)
    }
    var check = DaemonCheckItem("memory-pressure", .yes, detail: paths.joined(separator: ", "))
    check.cause = engine.isMemoryShort ? "short" : nil
    check.percent = Int64(policy.pressure.shortPercent)
    check.availablePercent = watch.availablePercent.map { Int64($0) }
    return check
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
    if let answer = measurements.takeAnswer() { feed(.sizes(answer.ticket, answer.sizes)) }
  }

  // MARK: Warning and purging

  /// Warns a command by its first process alone: another one may not know the signal, and die of it.
  func warnMemory(_ id: AppID) {
    guard let program = program(id), program.leaderStatus == nil,
      let number = engine.registration(of: id)?.settings.memorySignal
    else { return }
    freezer.signalled(id, at: seenAt)
    journal.ignoring(.ended, try Process.sendSignal(program.pidfd.raw, number))
  }

  func purge(_ name: String, _ client: Client) -> Reply {
    guard let id = engine.find(name: name) else { return noSuchProgram(name) }
    // Over a restart of lulld the client asks again for what is under way.
    if engine.ending(of: id) == nil {
      installed.lookAtFile(of: name)
      let answer = ask(.purge(id))
      if case .refused(.cannotComeBack) = answer, speaks(id) {
        return .error(.refused, .init(.programCannotReturn, name: name))
      }
      guard case .done = answer else { return Reply(answer) }
    }
    control.programs.addQuitter(client, of: id)
    let left = engine.timeToEnd(of: id, at: now)
    return .ok(Message(.ok).adding(.remainingSeconds, left?.seconds))
  }

  // MARK: The kernel's choice

  /// What runs again comes first. What finds no time waits for the next turn.
  private func adjustScores() {
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

  /// The longest time that scores may hold the loop up in one turn, in nanoseconds.
  private static var scoreTime: Int64 { 1_000_000 }

  private func putScoresBack(_ id: AppID) {
    scores.putBack(id) { program(id).map(pids(of:)) ?? [] }
  }

  private func raiseScores(_ id: AppID) {
    guard let program = program(id), engine.state(of: id) == .suspended else { return }
    installed.lookAtFile(of: program.name)
    let pids = pids(of: program)
    guard pids.count <= policy.maximumProcesses else { return }
    scores.raise(id, pids, isPurgeable: engine.mayBePurged(id)) { record throws(SystemError) in
      try suspenders.note(record)
    }
  }
}

extension Note {
  /// The memory that a program held, in bytes; nil: the operator asked for its end.
  static func text(_ held: Int64?, _ isAsked: Bool) -> String {
    Explanation(isAsked ? .purgeAsked : .purgeKilled, bytes: held).line
  }
}
