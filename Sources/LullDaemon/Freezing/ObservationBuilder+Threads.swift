import LullEngine
import LullInspect
import LullSystem

extension ObservationBuilder {
  func readWaits(of process: Process) throws(SystemError) {
    let files = memory.threadFiles(of: process.pid, services.policy)
    let threads = try LullSystem.Process.waits(
      in: files, memory: &memory.waits[process.pid, default: WaitMemory()])
    process.states = threads
    let isCommand = program.sleepsByItself
    var takers: [Int32] = []
    if isCommand {
      try readSignals(of: process, files)
    } else {
      try readSentSignal(to: process, files)
    }
    for thread in threads {
      let wait = try observe(thread, of: process, isCommand: isCommand)
      let timeOut = thread.timeOut.map { services.clock.interval($0) }
      var observed = ObservedThread(
        process: process.pid, thread: thread.thread, wait: wait, timeOut: timeOut)
      observed.course = thread.course
      if isCommand, thread.needsInspection, timeOut == nil, case .descriptors(let waited) = thread.wait {
        observed.timeOut = waited.first.flatMap { limit(of: $0, process) }
      }
      observed.period = thread.period.map { services.clock.interval($0) }
      if !isCommand, timeOut != nil, case .descriptors(let waited) = thread.wait {
        observed.query = query(waited, of: process)
      }
      observation.threads.append(observed)
      if case .works = wait { return stop() }
      if case .unwatchable = wait { return stop() }
      if thread.needsInspection { takers.append(thread.thread) }
    }
    add(threads: takers, of: process)
    if isCommand, process.naps { add(.list(process)) }
  }

  private func observe(
    _ thread: ThreadState, of process: Process, isCommand: Bool
  ) throws(SystemError) -> ObservedWait {
    // Where the main thread has ended, so have its numbers.
    if thread.usesDescriptors, process.states.first?.thread == process.pid,
      thread.thread != process.pid,
      !LullSystem.Process.sharesDescriptors(thread.thread, with: process.pid)
    {
      return .unwatchable(.ownDescriptors)
    }
    switch thread.wait {
    case .works: return .works
    case .epoll(let number):
      if isCommand { add(.set(process, number)) }
      return .sources
    case .descriptors(let waited):
      guard isCommand else { return .sources }
      for one in waited { add(.descriptor(process, one.number, one.interest, .waited)) }
      // A console between two looks at its input: what it serves is read when the time is over.
      if thread.timeOut != nil, waited.allSatisfy({ $0.number <= 2 }) { process.naps = true }
      return .sources
    case .ring(let number):
      process.naps = true
      let holdsFiles = try LullSystem.Process.ringHoldsFiles(of: process.pid, number: number)
      return holdsFiles ? .unwatchable(.ring) : .ring
    case .thread:
      // A condition with a time-out: when the time is over, the thread may look at anything.
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
    case .unwatchable(let what): return .unwatchable(what)
    }
  }

  /// The time-out that a socket or a terminal has for the calls that wait for it.
  private func limit(of waited: WaitedDescriptor, _ process: Process) -> Interval? {
    guard let copy = try? process.copy(waited.number, services) else { return nil }
    let time: Int64?
    do {
      time = try Socket.timeOut(copy.raw, isSending: waited.interest == .writable)
    } catch {
      time = (try? TerminalModes(of: copy.raw))?.readTimeOut
    }
    return time.map { services.clock.interval($0) }
  }

  /// The inode of a datagram socket that the thread waits for and that is no line; nil when there is none.
  private func query(_ waited: [WaitedDescriptor], of process: Process) -> UInt64? {
    waited.prefix(services.policy.queryDescriptors).lazy.compactMap { [self] one -> UInt64? in
      guard one.interest.contains(.readable),
        let copy = try? services.duplicate(one.number, of: process.pidfd),
        let file = try? FileIdentity.of(copy.raw), Socket.describe(copy.raw).kind == .udp,
        !program.known.contains(file)
      else { return nil }
      return file.inode
    }.first
  }

  /// A program on the library may be done with its wake before it has read its signalfd.
  private func readSentSignal(to process: Process, _ files: ThreadFiles) throws(SystemError) {
    guard let since = program.signalledSince else { return }
    let signals = try LullSystem.Process.signals(in: files, threads: process.states.map(\.thread))
    // A signal that the process blocks for good must not keep it awake.
    if signals.isDue || (signals.isDueBlocked && since < services.policy.blockedSignalTime.nanoseconds) {
      observation.signalled = process.pid
    } else if process === processes.last {
      isSignalTaken = true
    }
  }

  private func readSignals(of process: Process, _ files: ThreadFiles) throws(SystemError) {
    let signals = try LullSystem.Process.signals(in: files, threads: process.states.map(\.thread))
    if signals.isDue { observation.signalled = process.pid }
    process.blocksSignals = signals.areBlocked
    process.hasBlockedSignal = signals.isDueBlocked
    if signals.hidesTimers { observation.hidesTimers = true }
    heard.join(signals)
    if signals.hearsChildren { process.hearsSignals = true }
  }

  // MARK: Signals

  // Signal-driven input: the kernel tells of a descriptor by a signal, whatever the threads wait for.

  /// Looks for such descriptors among all that a process has open; the signal may be for another process
  /// (F_SETOWN). Any signal can be used (F_SETSIG), but nearly every program acts on some, so one that acts
  /// only on others than the usual ones is looked at now and then. So is one that has many descriptors and
  /// has never used signals for them, and its signals are looked at instead, as for hidden timers.
  func listRaising(_ process: Process) throws(SystemError) {
    guard heard.handled != 0 else { return }
    var facts = memory.raising[process.pid] ?? RaisingFacts()
    let isDue = facts.isDue(heard.handled, services.policy)
    memory.raising[process.pid] = facts
    guard isDue || (heard.hearsDescriptors && hasFewFiles(process)) else {
      if heard.hearsDescriptors { observation.hidesTimers = true }
      return
    }
    try addSteps(of: process) { .raising(process, $0) }
  }

  func addSteps(of process: Process, _ step: ([Int32]) -> Step) throws(SystemError) {
    let numbers = try NumberedEntries.all(in: "/proc/\(process.pid)/fd")
    for start in stride(from: 0, to: numbers.count, by: 64) {
      add(step(Array(numbers[start..<min(start + 64, numbers.count)])))
    }
  }

  private func hasFewFiles(_ process: Process) -> Bool {
    let count = LullSystem.Process.openFileCount(of: process.pid) ?? .max
    return count <= services.policy.raisingDescriptors
  }

  func takeRaising(_ numbers: [Int32], of process: Process) throws(SystemError) {
    for number in numbers {
      guard let duplicate = journal.ignoring(.gone, try services.duplicate(number, of: process.pidfd))
      else { continue }
      defer { services.releases.add(duplicate) }
      // What was opened with O_PATH alone raises nothing.
      guard let raised = try? RaisedSignals.of(duplicate.raw) else { continue }
      let status = try FileStatus.of(duplicate.raw)
      let isQueue = status.shape == .stored && FileStatus.isMessageQueue(duplicate.raw)
      if !raised.isEmpty || isQueue { memory.raising[process.pid]?.isUsed = true }
      if raised.contains(.lease) { return refuse(.lease, process) }
      if raised.contains(.owned), status.shape == .stored { return refuse(.directoryNotice, process) }
      if isQueue,
        journal.ignoring(.gone, try LullSystem.Process.raisesSignal(queue: number, of: process.pid)) == true
      {
        return refuse(.queueNotice, process)
      }
      if raised.contains(.readiness) {
        try take(
          number, of: process, interest: [.readable, .priority, .readHangUp], role: .open, inode: nil)
      } else if raised.contains(.owned), status.shape == .socket {
        try take(number, of: process, interest: .priority, role: .open, inode: nil)
      }
    }
  }
}

struct RaisingFacts {
  /// True once a descriptor was found that raises a signal.
  var isUsed = false
  /// The signals on which the program has acted, and the observations since a signal was new.
  private var handled: UInt64 = 0
  private var looks = 0

  /// True at an observation at which the descriptors are looked at, whatever their number and the signals.
  /// Who begins to use a signal for a descriptor mostly sets a handler for it first.
  mutating func isDue(_ handled: UInt64, _ policy: Policy) -> Bool {
    if handled & ~self.handled != 0 { (self.handled, looks) = (self.handled | handled, 0) }
    defer { looks += 1 }
    return isUsed || looks < policy.raisingLooks || looks % policy.raisingPeriod == 0
  }
}
