import LullChannel
import LullSystem
import LullWire

/// The lull-audio before this one, which plays on until its sessions are taken over.
final class Former {
  /// The time that its answer may take, in nanoseconds: a device that cannot be opened twice is closed
  /// within it.
  private static let patience: Int64 = 500_000_000

  private let channel: MessageChannel
  private var buffer = ReceiveBuffer(capacity: 4096)

  init(_ socket: DescriptorBox) { channel = MessageChannel(socket, overload: .dropPeer) }

  /// Has it give up the session of a ring, and waits for that. `device` is open here already; nil: it is
  /// still to be opened. False when nothing is left to be taken; one that does not answer ends with its
  /// connection.
  func take(_ inode: UInt64, device: String?) -> Bool {
    channel.tell(MessageBetweenAudio.take(inode: inode, device: device).message())
    let answer = try? channel.next(until: Clock.boottime() + Self.patience, into: &buffer)
    if case .message? = answer { return true }
    return false
  }
}
