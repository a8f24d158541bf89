import LullEngine
import LullSystem

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
  var freezing = Freezing.none
  /// The wait before the state of an unconfirmed freeze is read again, in nanoseconds.
  var recheckWait: Int64 = 0
  var exec: PendingExec?
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
    pidfd: DescriptorBox, mayTakeDescriptors: Bool
  ) {
    self.id = id
    self.name = name
    self.isCommand = isCommand
    self.suspender = suspender
    self.cgroupPath = cgroupPath
    self.pid = pid
    self.pidfd = pidfd
    self.mayTakeDescriptors = mayTakeDescriptors
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

/// A descriptor that the program declared as a line. The duplicate exists only while the program is frozen.
final class HeldLine {
  let id: LineID
  /// The descriptor's number in the process that holds it.
  let number: Int32
  let owner: DescriptorBox
  let identity: FileIdentity
  let description: LineDescription
  let kind: LineKind
  let offload: Offload
  let slot: Int
  let generation: UInt32
  var duplicate: DescriptorBox?
  weak var program: Program?

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

  var token: Token { Token(.line, slot: slot, generation: generation) }
}
