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

  /// More bytes than this wait for a peer that does not read: it is dropped.
  static let maximumOutput = 1 << 20

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
  var wantsWriting = false
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

  func queue(_ message: Message) { message.encodeTruncating(into: &output) }
}
