internal import LullChannel
internal import LullSystem

/// The program's end of the socket pair through which it and lull-audio tell each other to look at the ring.
final class AudioDoorbell {
  let inode: UInt64
  private let socket: DescriptorBox
  private let loop: EventLoop
  private var registration: Slot?

  static func make(
    in loop: EventLoop, onRing: @escaping () -> Void
  ) throws(SystemError) -> (AudioDoorbell, theirs: DescriptorBox) {
    let (ours, theirs) = try UnixSocket.pair()
    let doorbell = AudioDoorbell(ours, inode: try FileIdentity.of(ours.raw).inode, in: loop)
    doorbell.registration = try loop.add(ours.raw, .readable) { [weak doorbell] _ in
      doorbell?.drain()
      onRing()
    }
    return (doorbell, theirs)
  }

  private init(_ socket: DescriptorBox, inode: UInt64, in loop: EventLoop) {
    (self.socket, self.inode, self.loop) = (socket, inode, loop)
  }

  deinit { close() }

  /// Tells lull-audio to look at the ring. A full socket has told it already, and a socket without its other
  /// end has no reader, so failures are ignored.
  func ring() {
    guard socket.isOpen else { return }
    _ = try? Socket.write(socket.raw, [1])
  }

  func close() {
    unwatch()
    socket.close()
  }

  private func unwatch() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  /// Drops the bytes. At the end of the stream the watch ends, because the socket would stay readable for
  /// ever. No event follows: either lulld is gone, which its own connection tells, or the session was cut.
  private func drain() {
    var buffer = ReceiveBuffer(capacity: 256)
    while true {
      switch try? Socket.read(socket.raw, into: &buffer) {
      case .bytes(let count): if count < buffer.capacity { return }
      case .wouldBlock: return
      case .endOfStream, nil: return unwatch()
      }
    }
  }
}
