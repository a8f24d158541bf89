import LullEngine
import LullSystem
import LullWire

/// A managed program as the shell knows it: its processes, its connection, and the descriptors of its lines.
final class Program {
  /// How far a freeze has come.
  enum Freezing {
    case none
    /// To be carried out at the end of the turn.
    case decided(Ticket)
    /// Waiting for the program to hand its descriptors over (no ptrace rights).
    case preparing(Ticket)
    /// Written, not confirmed yet.
    case requested(Ticket)
    case frozen
  }

  let id: AppID
  private(set) var name: String
  let isCommand: Bool
  private(set) var suspender: Suspender
  /// Where its processes are, as /proc/PID/cgroup says it.
  private(set) var cgroupPath: String?
  let pid: Int32
  /// The leader; its pidfd becomes readable when it ends.
  let pidfd: DescriptorBox
  /// False where pidfd_getfd is refused: the program hands its descriptors over itself.
  let mayTakeDescriptors: Bool

  /// The connection that speaks for the program through the library.
  weak var speaker: Client?
  /// The connections that ran it or attached to it.
  var watchers: [Client] = []
  var isDetached = false
  /// Started by the daemon before this one: lull-guard is its parent now and tells its exit status.
  var isRestored = false
  /// Its first freeze since then is still to come, and may be what ended the daemon before this one.
  var awaitsTrial = false
  private(set) var lines: [HeldLine] = []
  /// The lines that were found, by their files.
  private(set) var known: [FileKey: HeldLine] = [:]
  /// The connections of its processes to this daemon.
  var connections: [Client] = []
  var sessions: [Session] = []
  /// The devices for its sessions, where somebody chose them.
  var routes = ProgramRoutes()
  /// Only heard through Lull, not managed.
  private(set) var isGuest: Bool
  var freezing = Freezing.none
  /// The wait before the state of an unconfirmed freeze is read again, in nanoseconds.
  var recheckWait: Int64 = 0
  var exec: PendingExec?
  /// Set for a command.
  var command: CommandRules?
  /// When a command was started, and when its keep-alive last ran, on CLOCK_BOOTTIME.
  var startedAt: Int64?
  var keepAliveRanAt: Int64?
  /// The pidfds of its processes, watched while it sleeps.
  var watched: [DescriptorBox] = []
  /// The look at it that is under way.
  var look: Look?
  /// What is remembered of how its threads wait, by process.
  var waits: [Int32: WaitMemory] = [:]
  /// How its lines are watched while it sleeps.
  var plan = WatchPlan()
  /// Thawed in this turn, before the engine was told.
  var isThawed = false
  /// What it was given as its standard streams; nil when a daemon before this one gave it.
  var standardStreams: [FileIdentity]?
  /// Connections of the program that were found to lead outside.
  var outerSockets: Set<UInt64> = []
  /// Ports on which it listens or has listened.
  var servedPorts: [UInt16] = []
  /// The line that is being added, in words.
  var newLineText: String?
  /// The line that woke it, and who sent the datagram.
  var wakeSource: (line: LineDescription, sender: SocketAddress?)?
  /// How many descriptors were in the epoll set that woke it.
  var wakeSize: Int?
  /// The leader's end; the program itself ends with its last process.
  var leaderStatus: LullEngine.ExitStatus?
  var waitsForLastProcess = false
  /// Where the readiness that woke it was seen, for how long the data waited.
  var wokenAt: Int64?
  var waitedMicroseconds: Int64?
  /// When it was last sent a signal, until a look finds that none waits.
  var signalledAt: Int64?
  /// Lost its connection while the process lives; it leaves unless the process turns out to be ending.
  var leavesAt: Int64?
  /// Pings that the daemon is to answer are counted by the engine; this is why a rule is not used.
  var remark: String?

  init(
    id: AppID, name: String, isCommand: Bool, suspender: Suspender, cgroupPath: String?, pid: Int32,
    pidfd: DescriptorBox, mayTakeDescriptors: Bool, isGuest: Bool = false
  ) {
    self.id = id
    self.name = name
    self.isCommand = isCommand
    self.suspender = suspender
    self.cgroupPath = cgroupPath
    self.pid = pid
    self.pidfd = pidfd
    self.mayTakeDescriptors = mayTakeDescriptors
    self.isGuest = isGuest
  }

  /// A guest has registered: it is managed from now on.
  func becomeManaged(name: String, _ suspender: Suspender, cgroupPath: String?) {
    (self.name, self.suspender, self.cgroupPath, isGuest) = (name, suspender, cgroupPath, false)
  }

  /// Who woke it; nil when a line has no peer.
  var wakePeer: String? {
    guard let wakeSource else { return nil }
    if let sender = wakeSource.sender { return "\(sender)" }
    return wakeSource.line.peer.isEmpty ? nil : wakeSource.line.peer
  }

  /// The line that woke it, in words.
  var wakeText: String? {
    guard let wakeSource else { return nil }
    let text = HeldLine.text(wakeSource.line)
    if let wakeSize { return "\(text), \(wakeSize) connections" }
    return text + (wakePeer.map { " from \($0)" } ?? "")
  }

  /// Whatever becomes ready wakes it, and it stands still.
  var wakesAtOnce: Bool {
    if case .frozen = freezing { plan.wakesAtOnce && look == nil && !isThawed } else { false }
  }

  func line(_ id: LineID) -> HeldLine? {
    guard let place = place(of: id) else { return nil }
    return lines[place]
  }

  /// The first line with this id or a later one; they stand in the order of their ids.
  func place(from id: LineID) -> Int {
    lines.firstPlace { $0.id >= id }
  }

  private func place(of id: LineID) -> Int? {
    let place = place(from: id)
    return place < lines.count && lines[place].id == id ? place : nil
  }

  func add(_ line: HeldLine) {
    lines.insert(line, at: place(from: line.id))
    if let key = line.found?.key { known[key] = line }
  }

  func remove(_ line: HeldLine) {
    if let place = place(of: line.id), lines[place] === line { lines.remove(at: place) }
    if let key = line.found?.key, known[key] === line { known[key] = nil }
  }

  func removeLines() { (lines, known) = ([], [:]) }

  func token(_ kind: Token.Kind) -> Token {
    Token(kind, slot: Int(id.slot), generation: id.generation)
  }
}

/// A command that has been cloned and not yet executed.
final class PendingExec {
  let status: DescriptorBox
  weak var client: Client?
  let command: String

  init(status: DescriptorBox, client: Client?, command: String) {
    self.status = status
    self.client = client
    self.command = command
  }
}
