import LullEngine
import LullSystem

// What a command waits for is what wakes it. A look reads how every thread waits and takes what it waits for;
// the engine judges, and the watch is armed when it says so.
extension Daemon {
  /// How long one step of a look may hold up the loop, in nanoseconds.
  private static var stepTime: Int64 { 1_000_000 }

  func beginLook(at program: Program, _ ticket: Ticket) {
    let look = Look(ticket)
    program.look = look
    guard let registration = engine.registration(of: program.id) else { return }
    // A program that was told to sleep need not be idle. One that hands its descriptors over has promised not
    // to read them any more.
    let isProved = registration.sleepsByItself || (program.mayTakeDescriptors && !program.lines.isEmpty)
    guard isProved else { return observed(program, look) }
    guard registration.sleepsByItself || !hasNews(program, look) else { return }
    look.observation.isAsking = isAsking(program)
    for line in program.lines { line.found?.role = nil }
    do {
      let pids = try program.suspender.processes()
      guard pids.count <= engine.policy.maximumProcesses else {
        look.observation.obstacle = .tooManyProcesses(pids.count)
        return observed(program, look)
      }
      if program.waits.count > 2 * pids.count {
        program.waits = program.waits.filter { pids.contains($0.key) }
      }
      for pid in pids { try add(pid, to: look, of: program) }
    } catch {
      look.observation.obstacle = obstacle(error)
    }
    continueLook(at: program)
  }

  private func add(_ pid: Int32, to look: Look, of program: Program) throws(SystemError) {
    if pid == program.pid, program.leaderStatus == nil {
      return look.add(Look.Process(pid: pid, pidfd: program.pidfd, isOwn: false))
    }
    do {
      look.add(Look.Process(pid: pid, pidfd: DescriptorBox(try Process.pidfdOpen(pid)), isOwn: true))
    } catch {
      // It was killed since the list of processes was read.
      guard error.isNoSuchProcess else { throw error }
    }
  }

  /// A process of the program has asked this daemon something and has no answer yet.
  private func isAsking(_ program: Program) -> Bool {
    program.connections.contains { $0.isWaiting || $0.report != nil || !$0.output.isEmpty }
  }

  /// Works off steps until they are done or have taken long enough; the rest follows in the next turn.
  func continueLook(at program: Program) {
    guard let look = program.look else { return }
    let (start, used) = (Clock.boottime(), Clock.processorTime())
    do {
      while let step = look.next {
        look.advance()
        try perform(step, look, program)
        guard case .frozen = program.freezing, program.look === look else { return }
        if Clock.boottime() - start >= Self.stepTime { break }
      }
    } catch {
      look.observation.obstacle = obstacle(error)
      look.stop()
    }
    guard look.next == nil else {
      look.cost += Clock.processorTime() - used
      return looks.append((program.id, look.ticket))
    }
    if !look.isStopped { gather(look, program) }
    guard case .frozen = program.freezing else { return }
    look.cost += Clock.processorTime() - used
    observed(program, look)
  }

  private func perform(_ step: Look.Step, _ look: Look, _ program: Program) throws(SystemError) {
    switch step {
    case .waits(let process): try readWaits(of: process, look, program)
    case .threads(let process, let threads):
      guard let busy = try Process.look(at: threads) else { return }
      look.observation.threads.append(
        ObservedThread(process: process.pid, thread: busy, wait: .works))
      look.stop()
    case .set(let process, let number): try lookAtSet(process, number, look, program)
    case .descriptor(let process, let number, let interest, let role):
      try take(number, of: process, interest, role, look, program, inode: nil)
    case .member(let process, let member, let set): try take(member, of: set, process, look, program)
    case .list(let process): try list(process, look, program)
    }
  }

  func obstacle(_ error: SystemError) -> Observation.Obstacle {
    if error.isTooMany { return .tooManyDescriptors(engine.policy.maximumDescriptors + 1) }
    guard error.isNotPermitted else { return .noDescriptor("\(error)") }
    return .noRights("\(error.message); lulld needs ptrace rights over all its processes")
  }

  /// Hands over what was seen. The engine answers with `.watch`, or takes the freeze back.
  private func observed(_ program: Program, _ look: Look) {
    look.observation.cost = clock.interval(look.cost)
    events.append(.observed(program.id, look.ticket, look.observation))
  }
}

// MARK: Threads

extension Daemon {
  private func readWaits(
    of process: Look.Process, _ look: Look, _ program: Program
  ) throws(SystemError) {
    let threads = try Process.waits(
      of: process.pid, memory: &program.waits[process.pid, default: WaitMemory()])
    process.states = threads
    let isCommand = engine.registration(of: program.id)?.sleepsByItself == true
    var takers: [Int32] = []
    if isCommand { try readSignals(of: process, look) }
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
