import LullWire

/// The report of `lull status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct StatusReport: Encodable, Equatable {
  var daemon: DaemonReport
  /// Nil while there is no sound device.
  @OrNull var device: DeviceReport?
  var remarks: [String] = []
  /// The programs in the order of their names.
  var programs: [ProgramReport] = []
  /// The programs that have ended, the last one first; nil when they were not asked for.
  var ended: [EndedReport]?
  /// The lines that are kept for programs that do not run; nil without any, or when they were not asked for.
  var kept: [LineReport]?

  init(_ items: [Message]) throws(WireError) {
    guard let first = items.first(where: { $0.itemKind == .daemon }) else {
      throw .missingField("kind=daemon")
    }
    daemon = try DaemonReport(first)
    device = try items.read(.device, DeviceReport.init).first
    for item in items where item.itemKind == .remark { remarks.append(try item.string(.text)) }
    for item in items where item.itemKind == .program { programs.append(try ProgramReport(item)) }
    for item in items where item.itemKind == .line && item[.kept] != nil {
      kept = (kept ?? []) + [try LineReport(item)]
    }
    programs.sort { $0.name < $1.name }
    let places = Dictionary(programs.indices.map { (programs[$0].name, $0) }) { first, _ in first }
    for item in items {
      if item[.kept] == nil, let place = item[.program].flatMap({ places[$0] }) {
        try attach(item, to: place)
      }
    }
  }

  private mutating func attach(_ item: Message, to index: Int) throws(WireError) {
    switch item.itemKind {
    case .lease: programs[index].leases.append(try LeaseReport(item))
    case .session: programs[index].sessions.append(try SessionReport(item))
    case .line: programs[index].lines.append(try LineReport(item))
    case .keepalive: programs[index].keepAlive = try KeepAliveReport(item)
    case .timer: programs[index].ownTimer = try OwnTimerReport(item)
    case .wake: programs[index].lastWake = try WakeReport(item)
    case .purge: programs[index].purges = try PurgeReport(item)
    case .sleep: programs[index].refused = try SleepReport(item).refusal
    default: break
    }
  }
}

struct EndedReport: Encodable, Equatable {
  let name: String
  /// Seconds since 1970.
  let at: Double
  /// The exit status; nil when a signal ended it, or nobody learned it.
  @OrNull var status: Int64?
  @OrNull var signal: Int64?
  /// Why it ended: `quit`, `crashed`, `terminated`, `exited`, or why Lull has killed it; nil when nobody
  /// learned it.
  @OrNull var reason: String?
  /// True when the program goes on, but is not managed any more.
  let hasLeft: Bool

  enum CodingKeys: String, CodingKey {
    case name, at, status, signal, reason
    case hasLeft = "left"
  }

  init(_ item: Message) throws(WireError) {
    name = try item.string(.name)
    at = try item.number(.at)
    status = try item.integer(ifPresent: .status)
    signal = try item.integer(ifPresent: .signal)
    reason = item[.reason]
    hasLeft = try item.flag(.left)
  }
}

struct DaemonReport: Encodable, Equatable {
  let pid: Int64
  let version: String
  let clockRate: Double
  let suspender: String
  let restarts: Int64
  /// True while notifications make no sound.
  let isQuiet: Bool
  let isLocked: Bool

  // Written by `lull daemon status`.

  /// The process of lull-guard; nil while there is none that watches.
  let guardPid: Int64?
  /// The moment at which the daemon was started first, in seconds since 1970.
  let since: Double?
  /// What started it: `use`, `hand` or `service`.
  let startedBy: String?
  let cgroupRoot: String?
  /// The time within which the service manager wants a sign of life, in seconds.
  let watchdogSeconds: Double?

  enum CodingKeys: String, CodingKey {
    case pid, version, clockRate, suspender, restarts
    case isQuiet = "quiet"
    case isLocked = "locked"
  }

  init(_ item: Message) throws(WireError) {
    pid = try item.integer(.pid)
    version = try item.string(.version)
    clockRate = try item.number(.clockRate)
    suspender = try item.string(.suspender)
    restarts = try item.integer(ifPresent: .restarts) ?? 0
    isQuiet = try item.flag(.quiet)
    isLocked = try item.flag(.locked)
    guardPid = try item.integer(ifPresent: .guardPid)
    since = try item.number(ifPresent: .since)
    startedBy = item[.startedBy]
    cgroupRoot = item[.cgroup]
    watchdogSeconds = try item.number(ifPresent: .watchdog)
  }
}

struct ProgramReport: Encodable, Equatable {
  let name: String
  let state: String
  let modes: [String]
  let pids: [Int64]
  let cgroup: String
  let managed: String?
  let isOverBudget: Bool
  /// The hangover in seconds, if --silence has set it.
  @OrNull var silenceSeconds: Double?
  var leases: [LeaseReport] = []
  var lines: [LineReport] = []
  var sessions: [SessionReport] = []
  @OrNull var keepAlive: KeepAliveReport?
  /// The earliest of the program's own timers, while it sleeps.
  @OrNull var ownTimer: OwnTimerReport?
  @OrNull var lastWake: WakeReport?
  /// The refusal of its last attempt to sleep, as long as it has not slept since.
  @OrNull var refused: RefusalReport?
  let isPurgeable: Bool
  /// Nil when it was never purged.
  @OrNull var purges: PurgeReport?
  let asleepSeconds: Double
  let awakeSeconds: Double
  let wakes: Int64
  var processor: ProcessorReport?
  var memory: MemoryReport?

  enum CodingKeys: String, CodingKey {
    case name, state, modes, pids, cgroup, managed, silenceSeconds, leases, lines, sessions, keepAlive,
      ownTimer
    case lastWake, refused, purges, asleepSeconds, awakeSeconds, wakes, processor, memory
    case isOverBudget = "overBudget"
    case isPurgeable = "purgeable"
  }

  init(_ item: Message) throws(WireError) {
    name = try item.string(.name)
    state = try item.string(.state)
    modes = try item.list(.modes)
    pids = try item.list(.pids).map { (text) throws(WireError) in
      guard let pid = Int64(text) else {
        throw .badValue(key: Key.pids.rawValue, value: text, expected: "a process id")
      }
      return pid
    }
    cgroup = try item.string(.cgroup)
    managed = item[.managed]
    isOverBudget = try item.flag(.overBudget)
    isPurgeable = try item.flag(.purgeable)
    silenceSeconds = try item.number(ifPresent: .silence)
    asleepSeconds = try item.number(.asleepSeconds)
    awakeSeconds = try item.number(.awakeSeconds)
    wakes = try item.integer(.wakes)
    processor = try ProcessorReport(item)
    memory = try MemoryReport(item)
  }
}
