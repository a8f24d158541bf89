import LullChannel
import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire

/// What programs use and what sleepers give back: memory, shares of the processor, and what only a look
/// tells.
final class MemoryFeature: Feature {
  let core: Core
  let compactions: Compactions
  private let weights: Weights
  private let bounds: ProcessorBounds
  let times = ProcessorTimes()
  /// One look, once the thaws of the turn are written, serves all of them.
  private var lockChecks: [AppID] = [], signalChecks: [AppID] = []
  /// Reads `/proc/locks`: a read of it waits for a grace period of RCU, which takes up to 40 ms.
  private let lockReader = Worker()
  private let locks: Findings<Result<FileLocks, SystemError>>
  /// The sleepers for which the file is being read; nil: it is not.
  private var lockSleepers: [AppID]?

  init(_ core: Core) throws(SystemError) {
    self.core = core
    compactions = try Compactions(core.services.reactor)
    weights = Weights(core.services.journal)
    bounds = ProcessorBounds(core.host.policy.processes ?? ProcessPolicy(), core.services.journal)
    locks = try Findings()
    _ = try core.services.reactor.add(locks.news, .readable, as: .locks)
  }

  func settle() {
    checkLocks()
    checkSignals()
  }

  func forget(_ program: Program) {
    let id = program.id
    bounds.end(id)
    // A program on the library that has left runs on.
    weights.restore(id, program.suspender)
    compactions.forget(id)
    times.forget(id)
    lockChecks.removeAll { $0 == id }
    lockSleepers?.removeAll { $0 == id }
    signalChecks.removeAll { $0 == id }
  }

  func finish(goesOn: Bool) {
    for program in programs {
      bounds.end(program.id)
      weights.restore(program.id, program.suspender)
    }
  }

  private static var lockDescriptors: Int { 4096 }

  func compact(_ id: AppID, _ ticket: Ticket) {
    guard let program = program(id), freezer.isFrozen(id) else {
      return host.queue(.compacted(id, ticket, .stopped))
    }
    let event = compactions.begin(
      id, ticket, processes: pids(of: program), cgroup: program.suspender.cgroupPath)
    if let event { host.queue(event) }
  }

  func memoryGivenBack() {
    for event in compactions.takeOutcomes() { feed(event) }
  }

  /// A program that goes on from a daemon before this one has the smaller share already.
  func weigh(_ id: AppID, _ weight: ProgramWeight) {
    guard let program = program(id), !program.suspender.isDryRun else { return }
    bound(program, isBounded: weight == .bounded)
    switch weight {
    case .full: weights.restore(id, program.suspender)
    case .low, .bounded:
      let resumed = engine.registration(of: id)?.resumes
      weights.lower(
        id, program.suspender,
        isLow: options.restarts > 0 && (resumed == .background || resumed == .suspended))
    }
  }

  private func bound(_ program: Program, isBounded: Bool) {
    guard let percent = engine.registration(of: program.id)?.settings.processorPercent,
      case .cgroup(let cgroup) = program.suspender
    else { return }
    if isBounded {
      bounds.begin(program.id, cgroup, percent: percent)
    } else {
      bounds.end(program.id, cgroup)
    }
  }

  var deadline: Int64? { bounds.deadline }

  func timeIsUp() { bounds.look() }

  /// Nil for a program that is not bounded.
  func boundNote(_ program: Program) -> NoteItem? {
    guard let percent = engine.registration(of: program.id)?.settings.processorPercent else { return nil }
    guard case .cgroup = program.suspender else { return NoteItem(.unbounded) }
    guard let way = bounds.way(program.id) else { return nil }
    var note = NoteItem(.bounded, cause: way.rawValue)
    note.count = Int64(percent)
    return note
  }

  func checkLocks(of id: AppID) { lockChecks.append(id) }

  func checkSignals(of id: AppID) { signalChecks.append(id) }

  /// Those that come during a read wait for the next one.
  private func checkLocks() {
    guard lockSleepers == nil else { return }
    let sleepers = lockChecks.filter(freezer.isFrozen)
    lockChecks = []
    guard !sleepers.isEmpty else { return }
    let begun: Void? = journal.ignoring(
      [],
      try lockReader.perform { [locks] in
        locks.add(Result { () throws(SystemError) in try FileLocks.awaited() })
      })
    if begun != nil { lockSleepers = sleepers }
  }

  func locksCame() {
    guard let read = locks.take().last else { return }
    let sleepers = (lockSleepers.take() ?? []).filter(freezer.isFrozen)
    guard let awaited = journal.ignoring([.gone, .tooMany], try read.get()), !awaited.isEmpty else { return }
    for id in sleepers {
      if let program = program(id), holds(program, one: awaited) { feed(.lockAwaited(id)) }
    }
  }

  /// Nothing else tells of a signal that came to a sleeper.
  private func checkSignals() {
    let sleepers = signalChecks.filter(freezer.isFrozen)
    signalChecks = []
    for id in sleepers {
      if let program = program(id), observer.isSignalDue(id, pids(of: program)) { feed(.signalDue(id)) }
    }
  }

  private func holds(_ program: Program, one awaited: FileLocks) -> Bool {
    let processes = pids(of: program)
    let others = awaited.without(waiters: processes)
    guard !others.isEmpty else { return false }
    return processes.contains { (try? others.isHeld(by: $0, limit: Self.lockDescriptors)) ?? false }
  }

  func note(of view: AppView, _ program: Program, _ processes: [Int32], in item: inout ProgramItem) {
    let used = times.seconds(program.id, program.suspender)
    let resident = processes.reduce(0) { sum, pid in
      sum + ((try? ProcessUsage.residentMemory(of: pid)) ?? 0)
    }
    (item.processorSeconds, item.wakeProcessorSeconds) = (used.total, used.betweenSleeps)
    item.residentBytes = Int64(resident)
    item.residentBytesBefore = view.compaction.map { Int64($0.before) }
    item.residentBytesAfter = view.compaction.map { Int64($0.after) }
    item.staysInMemory = view.registration.settings.staysInMemory
  }

  var checks: [DaemonCheckItem] {
    let swap = try? SwapSpace.current()
    let trouble: MemoryTrouble? =
      if (swap?.total ?? 0) == 0 {
        .noSwap
      } else if !Compactions.hasRoom {
        .swapFull
      } else {
        compactions.lacksRights ? .noRights : nil
      }
    return [
      DaemonCheckItem("memory", trouble == nil ? .yes : .limited, cause: trouble?.rawValue),
      DaemonCheckItem("weights", weights.mayTakeBack ? .yes : .limited),
    ]
  }
}
