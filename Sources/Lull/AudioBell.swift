internal import LullSystem

/// The program's end of the socket pair through which it and lull-audio tell each other to look at the ring.
final class AudioBell {
  /// Of the program's end.
  let inode: UInt64
  private let socket: DescriptorBox
  private let reactor: Reactor
  private var token: Reactor.Token?

  /// A bell in the loop, and the end for lull-audio; `onRing` is called when it rings.
  static func make(
    in reactor: Reactor, onRing: @escaping () -> Void
  ) throws(SystemError) -> (AudioBell, theirs: DescriptorBox) {
    let (ours, theirs) = try UnixSocket.pair()
    let bell = AudioBell(ours, try FileIdentity.of(ours.raw).inode, reactor)
    bell.token = try reactor.add(ours.raw, .readable) { [weak bell] _ in
      bell?.drain()
      onRing()
    }
    return (bell, theirs)
  }

  private init(_ socket: DescriptorBox, _ inode: UInt64, _ reactor: Reactor) {
    (self.socket, self.inode, self.reactor) = (socket, inode, reactor)
  }

  deinit { close() }

  /// Tells lull-audio to look. A full socket has told it already; one whose other end is gone has nobody to tell.
  func ring() {
    guard socket.isOpen else { return }
    _ = try? Socket.write(socket.raw, [1])
  }

  /// Takes it out of the loop and closes it; does nothing the second time.
  func close() {
    unwatch()
    socket.close()
  }

  private func unwatch() {
    guard let token else { return }
    reactor.remove(token, socket.raw)
    self.token = nil
  }

  /// Forgets the bytes. The end of the stream is no event of its own: either lulld is gone, which its own connection
  /// tells, or the session was cut; watched on, it would be readable for ever.
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
