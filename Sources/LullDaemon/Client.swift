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

  /// What `stdio`, `directory` and `command` have brought for the next `run`.
  struct Staged {
    var standard: [DescriptorBox?] = [nil, nil, nil]
    var directory: DescriptorBox?
    var arguments: [[UInt8]] = []
    var environment: [[UInt8]] = []
    /// What `ring` and `bell` have brought for the next `session`.
    var ring: DescriptorBox?
    var bell: (DescriptorBox, inode: UInt64?)?
  }

  /// More bytes of notices than this wait for a peer that does not read: it is dropped.
  static let maximumOutput = 1 << 20
  /// Bytes of an answer that are made at once. While as many wait, no further request is read.
  static let slice = 1 << 14
  /// Records that are made between two looks at the slice.
  static let step = 32

  let slot: Int
  let generation: UInt32
  let descriptor: DescriptorBox
  let pid: Int32
  let pidfd: DescriptorBox
  var role: Role
  var reader = LineReader()
  /// Descriptors that arrived and whose line has not been read yet.
  var descriptors: [DescriptorBox] = []
  var output: [UInt8] = []
  /// What is left of the answer to its last request.
  var report: Report?
  /// It asks for more than it takes: its requests wait, in the socket and in the reader.
  var isHeldUp = false
  var interest: Interest = [.readable, .readHangUp]
  /// The reply to a `run` is on its way; later requests wait for it, so that replies keep their order.
  var isWaiting = false
  var isClosing = false
  var followsLog = false
  var followsNotifications = false
  var staged = Staged()
  /// Programs that it runs or is attached to.
  var watched: [Program] = []

  init(slot: Int, generation: UInt32, descriptor: DescriptorBox, pid: Int32, pidfd: DescriptorBox, role: Role)
  {
    self.slot = slot
    self.generation = generation
    self.descriptor = descriptor
    self.pid = pid
    self.pidfd = pidfd
    self.role = role
  }

  var token: Token { Token(.client, slot: slot, generation: generation) }

  /// Whether the answer to its last request is still to be taken.
  var isBusy: Bool { report != nil || output.count >= Self.slice }

  /// Whether everything that is for it has been written.
  var isDone: Bool { report == nil && output.isEmpty }

  func queue(_ message: Message) { message.encodeTruncating(into: &output) }
}
