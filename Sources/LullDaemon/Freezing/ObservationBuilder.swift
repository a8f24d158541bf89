import LullEngine
import LullInspect
import LullSystem

/// One observation of a frozen program, in steps: a large program does not hold up the wake of another. It
/// never leaves the `Observer`.
final class ObservationBuilder {
  final class Process {
    let pid: Int32
    let pidfd: DescriptorBox
    /// True when the pidfd was opened for this observation and ends with it.
    let isOwn: Bool
    var states: [ThreadState] = []
    /// A thread may look at anything that the process has open when its nap is over.
    var naps = false
    var isListed = false
    /// True when the end of a child is news for the process.
    var hearsSignals = false
    /// True when a thread waits for a signalfd of the process.
    var holdsSignals = false
    /// True when the process blocks signals, as every user of a signalfd does.
    var blocksSignals = false
    var hasBlockedSignal = false

    init(pid: Int32, pidfd: DescriptorBox, isOwn: Bool) {
      (self.pid, self.pidfd, self.isOwn) = (pid, pidfd, isOwn)
    }
  }

  enum Step {
    case waits(Process)
    /// Threads whose system call takes what they wait for.
    case threads(Process, [Int32])
    case set(Process, Int32)
    case descriptor(Process, Int32, Interest, WakeSource.Role)
    /// Everything that a napping process has open.
    case list(Process)
    /// The descriptors that raise signals, once the signals of all processes are known.
    case listRaising(Process)
    /// Those among these descriptors that raise signals.
    case raising(Process, [Int32])
    case member(Process, EpollMember, WaitedSet)
    /// An io_uring among these descriptors of a process that SIGSTOP stops.
    case rings(Process, [Int32])
    // Steps from the taken entries to the engine's observation (ObservationBuilder+Gather); `Range` of the
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

  /// The steps of a stage are made when those of the stage before are done.
  enum Stage { case taking, gathering, seen }

  /// An entry or a set that waits to become a line.
  enum Pending {
    case entry(Entry)
    case set(WaitedSet)
  }

  let program: ObservedProgram
  let memory: ObserverMemory
  let services: ObserverServices
  var stage = Stage.taking
  var observation = Observation()
  var ends = InnerEnds()
  /// The pidfds whose ends are news while the program sleeps.
  var watched: [DescriptorBox] = []
  var pending: [Pending] = []
  /// True when no signal that was sent is still pending.
  var isSignalTaken = false
  /// The signals on which the processes act.
  var heard = ProcessSignals()
  private(set) var processes: [Process] = []
  var sets: [WaitedSet] = []
  private(set) var entries: [Entry] = []
  private var entryOf: [FileKey: Int] = [:]
  private var pids: Set<Int32> = []
  private var steps: [Step] = []
  private var place = 0
  private(set) var isStopped = false
  /// The processor time of the steps so far, in nanoseconds.
  var processorTime: Int64 = 0

  init(_ program: ObservedProgram, memory: ObserverMemory, services: ObserverServices) {
    (self.program, self.memory, self.services) = (program, memory, services)
  }

  var next: Step? { place < steps.count ? steps[place] : nil }

  func advance() { place += 1 }

  func add(_ step: Step) { steps.append(step) }

  /// Puts the rest of a step before the other steps.
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

  /// Ends the observation early: the program is at work, or cannot be observed.
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

  /// Nil when the file was closed or its process has ended.
  func kind(of number: Int32, in pid: Int32) -> OpenFile.Kind? {
    journal.ignoring(.gone, try OpenFile.kind(of: number, in: pid))
  }
}
