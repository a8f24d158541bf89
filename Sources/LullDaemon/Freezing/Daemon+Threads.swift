import LullEngine
import LullSystem

// How every thread of a process waits.
extension Daemon {
  func readWaits(
    of process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) {
    let threads = try Process.waits(
      of: process.pid, memory: &program.waits[process.pid, default: WaitMemory()])
    process.states = threads
    let isCommand = engine.registration(of: program.id)?.sleepsByItself == true
    var takers: [Int32] = []
    if isCommand {
      try readSignals(of: process, look)
    } else {
      try readSentSignal(to: process, look, program)
    }
    for thread in threads {
      let wait = try observe(thread, of: process, look, isCommand: isCommand)
      let timeOut = thread.timeOut.map { clock.interval($0) }
      var observed = ObservedThread(
        process: process.pid, thread: thread.thread, wait: wait, timeOut: timeOut)
      observed.standsStill = thread.standsStill
      observed.period = thread.period.map { clock.interval($0) }
      look.observation.threads.append(observed)
      if case .works = wait { return look.stop() }
      if case .unwatchable = wait { return look.stop() }
      if thread.needsLook { takers.append(thread.thread) }
    }
    look.add(threads: takers, of: process)
    if isCommand, process.naps { look.add(.list(process)) }
  }

  /// What a thread waits for, in the engine's words; what has to be taken for it becomes a step.
  private func observe(
    _ thread: ThreadState, of process: Look.Process, _ look: Look, isCommand: Bool
  ) throws(SystemError) -> ObservedWait {
    switch thread.wait {
    case .works: return .works
    case .epoll(let number):
      if isCommand { look.add(.set(process, number)) }
      return .sources
    case .descriptors(let waited):
      guard isCommand else { return .sources }
      for one in waited { look.add(.descriptor(process, one.number, one.interest, .waited)) }
      return .sources
    case .ring(let number):
      process.naps = true
      return try Process.ringHoldsFiles(of: process.pid, number: number) ? .unwatchable(.ring) : .ring
    case .thread:
      // A condition with a time-out: at its end the thread may look at anything.
      if thread.timeOut != nil { process.naps = true }
      return .thread
    case .child, .signal:
      process.hearsSignals = true
      return thread.wait == .child ? .child : .signal
    case .time:
      process.naps = true
      return .time
    case .unknown:
      process.naps = true
      return .unknown
    case .unwatchable(let what): return .unwatchable(LullEngine.Unwatchable(what))
    }
  }

  /// A program on the library may be done with its wake before it has read its signalfd.
  private func readSentSignal(
    to process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) {
    guard let sent = program.signalledAt else { return }
    let signals = try Process.signals(of: process.pid, threads: process.states.map(\.thread))
    // One that it blocks for good must not keep it awake.
    if signals.isDue || (signals.isDueBlocked && seenAt - sent < Self.signalTime) {
      look.observation.signalled = process.pid
    } else if process === look.processes.last {
      program.signalledAt = nil
    }
  }

  private static var signalTime: Int64 { 60_000_000_000 }

  private func readSignals(of process: Look.Process, _ look: Look) throws(SystemError) {
    let signals = try Process.signals(of: process.pid, threads: process.states.map(\.thread))
    if signals.isDue { look.observation.signalled = process.pid }
    process.blocksSignals = signals.areBlocked
    process.hasBlockedSignal = signals.isDueBlocked
    if signals.hearsChildren { process.hearsSignals = true }
  }
}

extension LullEngine.Unwatchable {
  init(_ what: LullSystem.Unwatchable) {
    self =
      switch what {
      case .sharedFutex: .sharedFutex
      case .systemV: .systemV
      case .fileLock: .fileLock
      case .registeredRing: .ring
      }
  }
}
