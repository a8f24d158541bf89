import LullChannel
import LullSystem
import LullWire

/// The next lull-audio, as this one sees it.
final class Heir {
  /// A session that it asks for.
  struct Wish {
    /// The file of the session's ring.
    let inode: UInt64
    /// True when the next lull-audio has opened the device.
    let hasDevice: Bool
  }

  /// The time for which this process waits for programs to open their sessions again, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000

  let channel: MessageChannel
  /// The moment at which this process ends without it, on CLOCK_BOOTTIME.
  let until = Clock.boottime() + Heir.patience
  private var buffer = ReceiveBuffer(capacity: 4096)

  init(_ socket: DescriptorBox) { channel = MessageChannel(socket, overload: .dropPeer) }

  /// False when it is gone, or has taken too long.
  var isThere: Bool { channel.inputEnd == nil && Clock.boottime() < until }

  /// The next session that it asks for; nil when it asks for no more now.
  func next() -> Wish? {
    while true {
      while let incoming = channel.next() {
        if case .message(let line, _) = incoming,
          case .take(let inode, let device)? = try? MessageBetweenAudio.parse(line)
        {
          return Wish(inode: inode, hasDevice: device != nil)
        }
      }
      guard case .bytes = channel.receive(into: &buffer) else { return nil }
    }
  }

  /// Confirms that the session is given up.
  func confirm() { channel.tell(MessageBetweenAudio.taken.message()) }

  /// Ends the connection: nothing is left to take.
  func leave() { channel.close() }
}
