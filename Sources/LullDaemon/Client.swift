import LullEngine
import LullSystem
import LullWire

/// One connection to the control socket.
final class Client {
  /// Who the kernel says it is.
  enum Role {
    case `operator`
    case program(AppID)
  }

  /// More bytes of notices than this wait for a peer that does not read: it is dropped.
  static let maximumOutput = 1 << 20
  /// Descriptors that one connection has the daemon keep: itself, its process, one that came with half a
  /// line, three standard streams, a directory, a command, a ring and a bell.
  static let maximumDescriptors = 10

  let slot: Int
  let generation: UInt32
  let descriptor: DescriptorBox
  let pid: Int32
  let pidfd: DescriptorBox
  var role: Role
  var reader = LineReader()
  /// Descriptors that arrived and whose line has not been read yet.
  var descriptors: [DescriptorBox] = []
  var output: ClientOutput
  /// What is left of the answer to its last request.
  var report: Report? {
    didSet {
      guard holdsMembers != (report?.hasMembers == true) else { return }
      holdsMembers.toggle()
      outputs.memberLists += holdsMembers ? 1 : -1
    }
  }
  private var holdsMembers = false
  private let outputs: OutputTotal
  /// It asks for more than it takes: its requests wait, in the socket and in the reader.
  var isHeldUp = false
  /// Nil while nothing can be heard of it: it hung up and waits for a reply.
  var interest: Interest? = [.readable, .readHangUp]
  /// The reply to a `run` is on its way; later requests wait for it, so that replies keep their order.
  var isWaiting = false
  var isClosing = false
  /// It reads too little of what is told it, and goes.
  var isOverrun = false
  /// It is among those that are written to at the end of the turn.
  var isDirty = false
  /// It was admitted with descriptors that are kept for the operator.
  var isLent = false
  var followsLog = false
  var followsNotifications = false
  var staged = Staged()
  /// Programs that it runs or is attached to.
  var watched: [Program] = []

  init(
    slot: Int, generation: UInt32, descriptor: DescriptorBox, peer: PeerProcess, role: Role,
    outputs: OutputTotal
  ) {
    self.slot = slot
    self.generation = generation
    self.descriptor = descriptor
    pid = peer.pid
    pidfd = peer.pidfd
    self.role = role
    self.outputs = outputs
    output = ClientOutput(countedIn: outputs)
  }

  var token: Token { Token(.client, slot: slot, generation: generation) }

  /// Whether the answer to its last request is still to be taken.
  var isBusy: Bool { report != nil || output.count >= output.slice }

  /// Whether everything that is for it has been written.
  var isDone: Bool { report == nil && output.isEmpty }
}
