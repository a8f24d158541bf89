import LullEngine
import LullInspect
import LullSystem

/// One observation of a frozen program, in steps: a large program does not hold up the wake of another. It
/// never leaves the `Observer`.
final class ObservationBuilder {
  final class Process {
    let pid: Int32
    let pidfd: DescriptorBox
    /// True for a pidfd that was opened for this observation and ends with it.
    let isOwn: Bool
    var states: [ThreadState] = []
    /// A thread may look at anything that the process has open when its nap is over.
    var naps = false
    var isListed = false
    var hearsSignals = false
    var holdsSignals = false
    /// True when the process blocks signals, as every user of a signalfd does.
    var blocksSignals = false
    var hasBlockedSignal = false
    /// Duplicates that were needed before their descriptors are taken.
    private var copies: [Int32: DescriptorBox] = [:]

    init(pid: Int32, pidfd: DescriptorBox, isOwn: Bool) {
      (self.pid, self.pidfd, self.isOwn) = (pid, pidfd, isOwn)
    }

    func copy(_ number: Int32, _ services: ObserverServices) throws(SystemError) -> DescriptorBox {
      let copy = try services.duplicate(number, of: pidfd)
      copies[number] = copy
      return copy
    }

    func takeCopy(_ number: Int32, _ services: ObserverServices) throws(SystemError) -> DescriptorBox {
      if let copy = copies.removeValue(forKey: number) { return copy }
      return try services.duplicate(number, of: pidfd)
    }
  }

  enum Step {
    case waits(Process)
    /// A system call of these threads takes what they wait for, so it has to be looked at.
    case threads(Process, [Int32])
    case set(Process, Int32)
    case descriptor(Process, Int32, Interest, WakeSource.Role)
    case list(Process)
    /// The descriptors that raise signals, once the signals of all processes are known.
    case listRaising(Process)
    /// Those among these descriptors that raise signals.
    case raising(Process, [Int32])
    case member(Process, EpollMember, WaitedSet)
    case rings(Process, [Int32])
    // The steps that follow when every source is taken (ObservationBuilder+Gather); a range is one of the
    // entries.
    case ends(Process)
    case settle
    case attach(Range<Int>, connections: Bool)
    case dropLost(before: LineID?)
    case poll(Range<Int>)
    case pollSets
    case tell(Range<Int>)
    case children(Process)
    case finish
  }

  /// The steps of gathering are made when every source is taken.
  private enum State { case taking, gathering, seen }

  enum Pending {
    case entry(Entry)
    case set(WaitedSet)
  }

  let program: ObservedProgram
  let memory: ObserverMemory
  let services: ObserverServices
  private var state = State.taking
  var observation = Observation()
  var ends = InnerEnds()
  /// The pidfds whose ends are news while the program sleeps.
  var watched: [DescriptorBox] = []
  var pending: [Pending] = []
  var isSignalTaken = false
  var heard = ProcessSignals()
  private(set) var processes: [Process] = []
  var sets: [WaitedSet] = []
  private(set) var entries: [Entry] = []
  private var entryOf: [FileKey: Int] = [:]
  private var pids: Set<Int32> = []
  private var steps: [Step] = []
  private var place = 0
  private(set) var isStopped = false
  /// In nanoseconds.
  var processorTime: Int64 = 0

  init(_ program: ObservedProgram, memory: ObserverMemory, services: ObserverServices) {
    (self.program, self.memory, self.services) = (program, memory, services)
  }

  private var next: Step? { place < steps.count ? steps[place] : nil }

  private func advance() { place += 1 }

  func add(_ step: Step) { steps.append(step) }

  func addNext(_ step: Step) {
    place -= 1
    steps[place] = step
  }

  func addSteps(_ count: Int, by size: Int, _ step: (Range<Int>) -> Step) {
    for start in stride(from: 0, to: count, by: size) { add(step(start..<min(start + size, count))) }
  }

  func add(_ process: Process) {
    processes.append(process)
    pids.insert(process.pid)
    add(.waits(process))
  }

  func stop() {
    isStopped = true
    place = steps.count
  }

  /// Ends the observation: the process waits for something that nobody can watch.
  func refuse(_ what: Unwatchable, _ process: Process) {
    observation.threads.append(
      ObservedThread(process: process.pid, thread: process.pid, wait: .unwatchable(what)))
    stop()
  }

  /// A file has one entry, in however many processes it is open and however many threads wait for it.
  func entry(_ key: FileKey) -> Entry? { entryOf[key].map { entries[$0] } }

  func add(_ entry: Entry) {
    entryOf[entry.key] = entries.count
    entries.append(entry)
  }

  /// Sets within sets: a member that must not be polled in the inner set must not be polled through the outer
  /// set.
  var nested: [(outer: WaitedSet, pid: Int32, inner: Int32)] = []

  /// Adds steps of a few threads each, since to observe a thread takes some 50 microseconds.
  func add(threads: [Int32], of process: Process) {
    for start in stride(from: 0, to: threads.count, by: 8) {
      add(.threads(process, Array(threads[start..<min(threads.count, start + 8)])))
    }
  }

  func hasProcess(_ pid: Int32) -> Bool { pids.contains(pid) }

  var journal: Journal { services.journal }

  func kind(of number: Int32, in pid: Int32) -> OpenFile.Kind? {
    journal.ignoring(.gone, try OpenFile.kind(of: number, in: pid))
  }

  final class Entry {
    let process: Process
    let number: Int32
    let duplicate: DescriptorBox
    let status: FileStatus
    let file: OpenFile.Kind?
    let description: LineDescription
    var role: WakeSource.Role
    var reach: WakeSource.Reach
    var interest: Interest
    private(set) var line: LineID?
    private(set) var isAttached = false
    var set: WaitedSet?
    var readiness: Readiness = []

    init(
      _ process: Process, number: Int32, duplicate: DescriptorBox, status: FileStatus,
      file: OpenFile.Kind?, description: LineDescription, role: WakeSource.Role,
      reach: WakeSource.Reach, interest: Interest, line: LineID?
    ) {
      (self.process, self.number, self.duplicate, self.status) = (process, number, duplicate, status)
      (self.file, self.description, self.role) = (file, description, role)
      (self.reach, self.interest, self.line) = (reach, interest, line)
    }

    func attach(_ line: LineID?) { (self.line, isAttached) = (line, line != nil) }

    var key: FileKey { FileKey(status, number: number, of: process.pid) }
  }

  final class WaitedSet {
    let process: Process
    let number: Int32
    let duplicate: DescriptorBox
    let key: FileKey
    let identity: FileIdentity
    var facts: SetFacts
    private(set) var line: LineID?
    var isReady = false

    init(
      _ process: Process, number: Int32, duplicate: DescriptorBox, key: FileKey,
      identity: FileIdentity, facts: SetFacts, line: LineID?
    ) {
      (self.process, self.number, self.duplicate) = (process, number, duplicate)
      (self.key, self.identity, self.facts, self.line) = (key, identity, facts, line)
    }

    func attach(_ line: LineID?) { self.line = line }

    func isNumber(_ number: Int32, of pid: Int32) -> Bool { self.number == number && process.pid == pid }
  }

  // MARK: Steps

  func begin() {
    observation.isAsking = program.isAsking
    do {
      let pids = try program.suspender.processes()
      guard pids.count <= services.policy.maximumProcesses else {
        observation.obstacle = .tooManyProcesses(pids.count)
        return stop()
      }
      memory.keep(only: pids)
      for pid in pids { try add(pid) }
      for process in processes where program.sleepsByItself {
        add(.listRaising(process))
        if case .signal = program.suspender, !program.suspender.isDryRun {
          try addSteps(of: process) { .rings(process, $0) }
        }
      }
    } catch {
      observation.obstacle = services.obstacle(error)
    }
  }

  private func add(_ pid: Int32) throws(SystemError) {
    if pid == program.pid, program.hasLeader {
      return add(ObservationBuilder.Process(pid: pid, pidfd: program.pidfd, isOwn: false))
    }
    do {
      add(
        ObservationBuilder.Process(
          pid: pid, pidfd: DescriptorBox(try LullSystem.Process.pidfdOpen(pid)), isOwn: true))
    } catch {
      // The process was killed after the list of processes was read.
      guard error.isNoSuchProcess else { throw error }
    }
  }

  func advance(until limit: Int64) -> Observer.Outcome {
    repeat {
      do {
        while let step = next {
          guard Clock.boottime() < limit else { return .unfinished }
          advance()
          if let outcome = try perform(step) { return outcome }
        }
      } catch {
        observation.obstacle = services.obstacle(error)
        stop()
      }
    } while beginNextStage()
    return .seen
  }

  private func beginNextStage() -> Bool {
    guard state == .taking, !isStopped else {
      state = .seen
      return false
    }
    state = .gathering
    beginGathering()
    return true
  }

  private func perform(_ step: Step) throws(SystemError) -> Observer.Outcome? {
    switch step {
    case .waits(let process): try readWaits(of: process)
    case .threads(let process, let threads):
      // ptrace would interrupt a program that is not held still.
      guard !program.suspender.isDryRun,
        let busy = try services.tracer.inspect(threads, within: services.policy.inspectionTime.nanoseconds)
      else { return nil }
      observation.threads.append(ObservedThread(process: process.pid, thread: busy, wait: .works))
      stop()
    case .set(let process, let number): return try observeSet(process, number)
    case .descriptor(let process, let number, let interest, let role):
      try take(number, of: process, interest: interest, role: role, inode: nil)
    case .member(let process, let member, let set): try take(member, of: set, process)
    case .list(let process): try list(process)
    case .listRaising(let process): try listRaising(process)
    case .raising(let process, let numbers): try takeRaising(numbers, of: process)
    case .rings(let process, let numbers):
      if numbers.contains(where: { kind(of: $0, in: process.pid) == .ring }) { refuse(.stoppedRing, process) }
    case .ends, .settle, .attach, .dropLost, .poll, .pollSets, .tell, .children, .finish:
      return gather(step)
    }
    return nil
  }

  func letGo() {
    for entry in entries where !entry.isAttached {
      services.releases.add(entry.duplicate)
    }
    for set in sets where set.line == nil { services.releases.add(set.duplicate) }
    for pidfd in watched { services.releases.add(pidfd) }
  }
}

extension ObservationBuilder.Entry {
  /// Joins the wait of another thread for the same file.
  func join(_ interest: Interest, _ role: WakeSource.Role) {
    switch (self.role, role) {
    // The events for which a set watches the file say nothing of this thread's wait.
    case (.member, .waited): (self.role, self.interest) = (.waited, interest)
    // A set whose member has the role `.open` is not watched as a whole.
    case (.member, .open): (self.role, self.interest) = (.open, self.interest.union(interest))
    case (.member, _): break
    default:
      self.interest.formUnion(interest)
      if role == .waited { self.role = .waited }
    }
  }
}

extension ObservationBuilder.Entry {
  /// True when the set that is replaced by its members is not ready: what is ready among them was told. A set
  /// with a signalfd cannot be asked, and a thread that naps may look at anything, but for an eventfd: what
  /// the program itself has written there is no news.
  var isTold: Bool {
    guard role == .open, file == .event || !process.naps else { return false }
    guard let set else { return file == .event }
    return set.facts.fallsBack && !set.facts.holdsSignals && !set.isReady
  }

  /// True when the entry is to be watched. The program's own timer must not wake it at once, and a doorbell
  /// waits for the wake. An eventfd is watched like the rest: somebody outside may have it too, or the kernel
  /// writes it for an io_uring or for libaio.
  var isWatched: Bool {
    switch reach {
    case .outside, .standard: true
    case .inside: file != .timer && (role == .waited || role == .open)
    case .doorbell: false
    }
  }
}
