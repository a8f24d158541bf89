import LullEngine
import LullSystem

/// One look at a frozen program, in steps: a large one does not hold up the wake of another.
final class Look {
  /// A process of the program.
  final class Process {
    let pid: Int32
    let pidfd: DescriptorBox
    /// The pidfd was opened for this look and ends with it.
    let isOwn: Bool
    var states: [ThreadState] = []
    /// A thread may look at anything that the process has open when its nap is over.
    var naps = false
    var isListed = false
    /// The end of a child is news for it.
    var hearsSignals = false
    /// It has a signalfd that a thread waits for.
    var holdsSignals = false
    /// It blocks signals, as whoever has a signalfd does.
    var blocksSignals = false
    /// A signal waits that it blocks.
    var hasBlockedSignal = false

    init(pid: Int32, pidfd: DescriptorBox, isOwn: Bool) {
      (self.pid, self.pidfd, self.isOwn) = (pid, pidfd, isOwn)
    }
  }

  /// What is still to be done, worked off from the front.
  enum Step {
    case waits(Process)
    /// Threads whose call takes what it waits for.
    case threads(Process, [Int32])
    case set(Process, Int32)
    case descriptor(Process, Int32, Interest, WakeSource.Role)
    /// Everything that a napping process has open.
    case list(Process)
    case member(Process, EpollMember, EpollSet)
    // From what was taken to what the engine is told (Daemon+Gather); `Range` of the entries.
    case ends(Process)
    case settle
    case attach(Range<Int>, connections: Bool)
    case dropLost(ArraySlice<HeldLine>)
    case poll(Range<Int>)
    case pollSets
    case tell(Range<Int>)
    case children(Process)
    case finish
    // The engine has judged (Daemon+Watch); of the lines of the program.
    case arm(ArraySlice<HeldLine>)
    case pollOnce(ArraySlice<HeldLine>)
    case armed
  }

  /// How far it has come. The steps of a stage are made when those of the one before are done.
  enum Stage { case taking, gathering, judged, arming }

  /// Something that a thread waits for or may look at.
  final class Entry {
    let process: Process
    let number: Int32
    let duplicate: DescriptorBox
    let status: FileStatus
    var file: OpenFile.Kind?
    var description: LineDescription
    var role: WakeSource.Role
    var reach: WakeSource.Reach
    var interest: Interest
    var line: HeldLine?
    /// The set in which it was found.
    var set: EpollSet?
    var readiness: LullSystem.Readiness = []

    init(
      _ process: Process, _ number: Int32, _ duplicate: DescriptorBox, _ status: FileStatus,
      _ file: OpenFile.Kind?, _ description: LineDescription, _ role: WakeSource.Role,
      _ reach: WakeSource.Reach, _ interest: Interest
    ) {
      (self.process, self.number, self.duplicate, self.status) = (process, number, duplicate, status)
      (self.file, self.description, self.role) = (file, description, role)
      (self.reach, self.interest) = (reach, interest)
    }

    var key: FileKey { FileKey(status, number: number, of: process.pid) }
  }

  let ticket: Ticket
  var stage = Stage.taking
  var observation = Observation()
  var ends = InnerEnds()
  /// What the engine says of lines by which they are watched.
  var disregarded: Set<LineID> = [], full: Set<LineID> = []
  private(set) var processes: [Process] = []
  var sets: [HeldLine] = []
  private(set) var entries: [Entry] = []
  private var entryOf: [FileKey: Int] = [:]
  private var pids: Set<Int32> = []
  private var steps: [Step] = []
  private var place = 0
  private(set) var isStopped = false
  /// The processor time of the steps so far.
  var cost: Int64 = 0

  init(_ ticket: Ticket) { self.ticket = ticket }

  var next: Step? { place < steps.count ? steps[place] : nil }

  func advance() { place += 1 }

  func add(_ step: Step) { steps.append(step) }

  /// What is left of a step is done before the others.
  func addNext(_ step: Step) {
    place -= 1
    steps[place] = step
  }

  /// A step for each so many of them.
  func addSteps(_ count: Int, by size: Int, _ step: (Range<Int>) -> Step) {
    for start in stride(from: 0, to: count, by: size) { add(step(start..<min(start + size, count))) }
  }

  func add(_ process: Process) {
    processes.append(process)
    pids.insert(process.pid)
    add(.waits(process))
  }

  /// Nothing more is worth looking at: the program is at work, or cannot be looked at.
  func stop() {
    isStopped = true
    place = steps.count
  }

  /// One file is one entry, in however many processes it is open and however many threads wait for it.
  func entry(_ key: FileKey) -> Entry? { entryOf[key].map { entries[$0] } }

  func add(_ entry: Entry) {
    entryOf[entry.key] = entries.count
    entries.append(entry)
  }

  /// Sets within sets: what must not be polled in the inner one must not be polled through the outer one.
  var nested: [(outer: EpollSet, pid: Int32, inner: Int32)] = []

  /// A look at a thread takes some 50 microseconds, so they come a few at a time.
  func add(threads: [Int32], of process: Process) {
    for start in stride(from: 0, to: threads.count, by: 8) {
      add(.threads(process, Array(threads[start..<min(threads.count, start + 8)])))
    }
  }

  func hasProcess(_ pid: Int32) -> Bool { pids.contains(pid) }
}

extension Look.Entry {
  /// Another thread waits for the same file.
  func join(_ interest: Interest, _ role: WakeSource.Role) {
    switch (self.role, role) {
    // What a set watches it for says nothing of what this thread waits for.
    case (.member, .waited): (self.role, self.interest) = (.waited, interest)
    // The set in which it is open by itself is not watched as a whole.
    case (.member, .open): (self.role, self.interest) = (.open, self.interest.union(interest))
    case (.member, _): break
    default:
      self.interest.formUnion(interest)
      if role == .waited { self.role = .waited }
    }
  }
}

extension Look.Entry {
  /// Its own timer must not wake it at once, and a doorbell waits for the wake.
  var isWatched: Bool {
    switch reach {
    case .outside, .standard: true
    case .inside: file != .timer && (role == .waited || (role == .open && file != .event))
    case .doorbell: false
    }
  }
}
