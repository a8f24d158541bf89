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
  let name: String
  let isCommand: Bool
  let suspender: Suspender
  /// Where its processes are, as /proc/PID/cgroup says it.
  let cgroupPath: String?
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
  var lines: [HeldLine] = []
  var sessions: [Session] = []
  /// Only heard through Lull, not managed.
  let isGuest: Bool
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
  /// Why it could not be put to sleep, in words.
  var refusal: String?
  /// When something last came or went on a line.
  var lastTraffic: Moment?
  /// How often the threads that serve a sound server had run when they were last looked at.
  var soundTurns: (count: UInt64, at: Moment)?
  /// Ports on which it listens or has listened.
  var servedPorts: [UInt16] = []
  /// Whether it has been asleep.
  var hasSlept = false
  /// The line that is being added, in words.
  var newLineText: String?
  /// The line that woke it, and who sent the datagram.
  var wakeSource: (line: LineDescription, sender: SocketAddress?)?
  /// The leader's end; the program itself ends with its last process.
  var leaderStatus: LullEngine.ExitStatus?
  var waitsForLastProcess = false
  /// Where the readiness that woke it was seen, for how long the data waited.
  var wokenAt: Int64?
  var waitedMicroseconds: Int64?
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

  /// Who woke it; nil when a line has no peer.
  var wakePeer: String? {
    guard let wakeSource else { return nil }
    if let sender = wakeSource.sender { return "\(sender)" }
    return wakeSource.line.peer.isEmpty ? nil : wakeSource.line.peer
  }

  /// The line that woke it, in words.
  var wakeText: String? {
    wakeSource.map { HeldLine.text($0.line) + (wakePeer.map { " from \($0)" } ?? "") }
  }

  func line(_ id: LineID) -> HeldLine? { lines.first { $0.id == id } }

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

/// A descriptor that the program declared as a line, or that was found in a command. The duplicate exists only while
/// the program is frozen.
final class HeldLine {
  let id: LineID
  /// The descriptor's number in the process that holds it.
  var number: Int32
  var owner: DescriptorBox
  let identity: FileIdentity
  /// A socket that was found before it was bound or connected is described again.
  var description: LineDescription
  let kind: LineKind
  let offload: Offload
  let slot: Int
  let generation: UInt32
  var duplicate: DescriptorBox?
  weak var program: Program?
  /// Set for one that was found in a command.
  var found: Found?

  /// What is known of a descriptor that was found.
  struct Found {
    let file: OpenFile.Kind
    /// The process in which it was found last.
    var pid: Int32
    var isPresent = true
    /// It was not there when the command last slept.
    var isNew: Bool
    /// Readable since this moment, and always the same.
    var stale: (trace: Trace, since: Moment)?
    /// Left unread for so long that it neither keeps the command awake nor wakes it.
    var isDisregarded = false
    /// An edge-triggered watch tells once of what is there when it begins.
    var awaitsOldNews = false
    var hasKeepAlive = false
    var lastSender: SocketAddress?
  }

  /// By which two looks at an unread descriptor are compared.
  struct Trace: Equatable {
    let readiness: LullSystem.Readiness
    let unread: Int
  }

  init(
    id: LineID, number: Int32, owner: DescriptorBox, identity: FileIdentity, description: LineDescription,
    kind: LineKind, offload: Offload, slot: Int, generation: UInt32, program: Program
  ) {
    self.id = id
    self.number = number
    self.owner = owner
    self.identity = identity
    self.description = description
    self.kind = kind
    self.offload = offload
    self.slot = slot
    self.generation = generation
    self.program = program
  }

  /// The line in words: "udp 127.0.0.1:5060".
  var text: String { Self.text(description) }

  static func text(_ description: LineDescription) -> String {
    let word = Vocabulary.LineKind(description.kind).rawValue
    // The client's end of a Unix socket has no name of its own.
    let isUnnamed = description.local.isEmpty || description.local == "unnamed"
    let name = isUnnamed ? description.peer : description.local
    return name.isEmpty ? word : "\(word) \(name)"
  }

  var token: Token { Token(.line, slot: slot, generation: generation) }
}
