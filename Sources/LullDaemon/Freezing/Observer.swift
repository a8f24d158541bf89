import LullEngine
import LullInspect
import LullSystem
import LullWire

struct ObserverServices {
  let reactor: DaemonReactor
  let closer: Closer
  let releases: ReleaseQueue
  let clock: EngineClock
  let policy: Policy
  let controlPath: String
  let journal: Journal
  let tracer = Tracer()
}

/// Observes frozen programs: the waits of their threads, and the sources that can end these waits.
final class Observer {
  enum Outcome {
    case unfinished
    /// These sources become lines: see `attached`.
    case found([FoundSource])
    /// The number means another file by now.
    case stale(FileKey)
    /// Members that are ready although their sets are not, and the rest of the events that are waited for on
    /// each.
    case told([(line: LineID, rest: Interest)])
    /// Lines whose descriptors are closed end: see `dropLost`.
    case dropLost(before: LineID?)
    case seen
  }

  private let services: ObserverServices
  private var memories = AppTable<ObserverMemory>()
  /// The programs with open files of threads; the one that was looked at last comes last.
  private var looked: [AppID] = []
  private var builders = AppTable<ObservationBuilder>()

  init(_ services: ObserverServices) { self.services = services }

  private func memory(of id: AppID) -> ObserverMemory {
    if let memory = memories[id] { return memory }
    let memory = ObserverMemory()
    memories[id] = memory
    return memory
  }

  func setStandardStreams(_ streams: [FileIdentity], of id: AppID) {
    memory(of: id).standardStreams = streams
  }

  /// They stay open for the observation, and for the looks after it at the programs that were looked at last.
  func threadFiles(of pid: Int32, _ id: AppID) -> ThreadFiles {
    if looked.last != id {
      looked.removeAll { $0 == id }
      looked.append(id)
    }
    while looked.count > 1, openFiles > services.policy.lookFiles {
      memories[looked.removeFirst()]?.closeThreadFiles()
    }
    return memory(of: id).threadFiles(of: pid, services.policy)
  }

  private var openFiles: Int { looked.reduce(0) { $0 + (memories[$1]?.openThreadFiles ?? 0) } }

  func begin(_ program: ObservedProgram, _ obstacle: Observation.Obstacle?) {
    end(program.id)
    let builder = ObservationBuilder(program, memory: memory(of: program.id), services: services)
    builders[program.id] = builder
    builder.observation.obstacle = obstacle
    builder.begin()
  }

  /// Ends when the caller has something to do, or at a moment of CLOCK_BOOTTIME.
  func advance(_ id: AppID, until limit: Int64) -> Outcome? { builders[id]?.advance(until: limit) }

  /// In the order of the found sources; nil for a source that cannot become a line.
  func attached(_ lines: [LineID?], of id: AppID) { builders[id]?.attached(lines) }

  func dropLost(of id: AppID, before line: LineID) { builders[id]?.addNext(.dropLost(before: line)) }

  /// In nanoseconds of processor time.
  func spent(_ nanoseconds: Int64, on id: AppID) { builders[id]?.processorTime += nanoseconds }

  /// `isSignalTaken`: no signal that was sent to the program is still pending.
  func observation(of id: AppID) -> (Observation, isSignalTaken: Bool) {
    guard let builder = builders[id] else { return (Observation(), false) }
    var observation = builder.observation
    observation.cost = services.clock.interval(builder.processorTime)
    return (observation, builder.isSignalTaken)
  }

  func soundClients(of id: AppID) -> [SoundClient] { memories[id]?.soundClients ?? [] }

  /// Ends the observation. The ends of these pidfds are news while the program sleeps.
  func finish(_ id: AppID) -> [DescriptorBox] {
    guard let builder = builders[id] else { return [] }
    let watched = builder.watched
    builder.watched = []
    end(id)
    return watched
  }

  func end(_ id: AppID) {
    guard let builder = builders[id] else { return }
    builder.letGo()
    builders[id] = nil
  }

  /// True when a signal waits for one of a sleeper's processes and the program acts on it. Nothing is thawed
  /// to find out.
  func isSignalDue(_ id: AppID, _ processes: [Int32]) -> Bool {
    let readers = memory(of: id).signalReaders
    for pid in processes {
      let files = ThreadFiles(of: pid, patience: services.policy.inspectionTime.nanoseconds)
      guard
        let signals = services.journal.ignoring(
          .gone, try Process.signals(in: files, threads: files.threads()))
      else { continue }
      if signals.isDue || (signals.isDueBlocked && readers.contains(pid)) { return true }
    }
    return false
  }

  func forget(_ id: AppID) {
    end(id)
    memories[id] = nil
    looked.removeAll { $0 == id }
  }

  func obstacle(_ error: SystemError) -> Observation.Obstacle { services.obstacle(error) }
}

extension ObserverServices {
  func obstacle(_ error: SystemError) -> Observation.Obstacle {
    if error.isTooMany { return .tooManyDescriptors(policy.maximumDescriptors + 1) }
    guard error.isNotPermitted else { return .noDescriptor("\(error)") }
    return .noRights(Explanation(.rightsMissing, error: error.message).line)
  }

  /// A duplicate of a process's descriptor, whose close is left to the closer so that the loop does not wait.
  func duplicate(_ number: Int32, of pidfd: DescriptorBox) throws(SystemError) -> DescriptorBox {
    DescriptorBox(try Process.getDescriptor(pidfd.raw, number: number), closer: closer)
  }
}

struct ObservedProgram {
  let id: AppID
  let pid: Int32
  let pidfd: DescriptorBox
  let hasLeader: Bool
  let suspender: Suspender
  /// True for a command, which is put to sleep whenever it is idle; a program on the library says when it is
  /// done.
  let sleepsByItself: Bool
  let hasUDPKeepAlive: Bool
  let command: CommandRules?
  let doorbells: [UInt64]
  /// What lull-audio knows of the program's streams to a sound server.
  let sound: StraightSound
  /// True when a process of the program has asked the daemon something and has no answer yet.
  let isAsking: Bool
  /// In nanoseconds; nil when no signal may still be pending.
  let signalledSince: Int64?
  let known: KnownFiles
}

final class ObserverMemory {
  var waits: [Int32: WaitMemory] = [:]
  var raising: [Int32: RaisingFacts] = [:]
  var signalReaders: Set<Int32> = []
  var outerSockets: Set<UInt64> = []
  var servedPorts: [UInt16] = []
  var soundClients: [SoundClient] = []
  /// The sound servers behind connections, by inode; nil for one that leads elsewhere.
  var soundServers: [UInt64: SoundServer?] = [:]
  /// The standard streams that the program was given; nil when a daemon before this one gave them.
  var standardStreams: [FileIdentity]?
  private var threads: [Int32: ThreadFiles] = [:]

  var openThreadFiles: Int { threads.values.reduce(0) { $0 + $1.openCount } }

  func threadFiles(of pid: Int32, _ policy: Policy) -> ThreadFiles {
    if let files = threads[pid] { return files }
    let files = ThreadFiles(
      of: pid, keeping: policy.lookFilesOfProcess, patience: policy.inspectionTime.nanoseconds)
    if openThreadFiles < policy.lookFiles { threads[pid] = files }
    return files
  }

  func closeThreadFiles() { threads = [:] }

  /// What is known of processes that are gone is forgotten now and then.
  func keep(only pids: [Int32]) {
    guard waits.count > 2 * pids.count || threads.count > 2 * pids.count else { return }
    waits = waits.filter { pids.contains($0.key) }
    raising = raising.filter { pids.contains($0.key) }
    threads = threads.filter { pids.contains($0.key) }
  }
}

/// A process with a connection to a sound server, and the address at which that speaks the protocol of
/// PulseAudio.
struct SoundClient: Equatable {
  let pid: Int32
  let server: String
}
