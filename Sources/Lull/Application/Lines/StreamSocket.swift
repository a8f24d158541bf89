internal import LullChannel
internal import LullSystem

final class StreamSocket {
  let address: SocketAddress
  private let descriptor: DescriptorBox
  private let loop: EventLoop
  private let registration: Slot
  private var watched: Interest = .writable
  private var readError: SystemError?

  /// The first event for which `onReady` is called tells that the socket is connected or has failed.
  init(
    to address: SocketAddress, in loop: EventLoop, onReady: @escaping EventLoop.Handler
  ) throws(SystemError) {
    let descriptor = try DescriptorBox(Socket.connectNonBlocking(address))
    try Socket.setNoDelay(descriptor.raw)
    registration = try loop.add(descriptor.raw, .writable, handler: onReady)
    (self.address, self.descriptor, self.loop) = (address, descriptor, loop)
  }

  init(
    restoring descriptor: DescriptorBox, from address: SocketAddress, in loop: EventLoop,
    onReady: @escaping EventLoop.Handler
  ) throws(SystemError) {
    try Descriptor.stopBlocking(descriptor.raw)
    registration = try loop.add(descriptor.raw, .writable, handler: onReady)
    (self.address, self.descriptor, self.loop) = (address, descriptor, loop)
  }

  var raw: Int32 { descriptor.raw }
  var error: SystemError? { readError ?? (try? Socket.connectError(raw)) ?? nil }
  var hasUnreadBytes: Bool { ((try? Socket.unreadBytes(raw)) ?? 0) > 0 }

  func watch(for interest: Interest) {
    guard interest != watched else { return }
    watched = interest
    loop.modify(registration, interest)
  }

  func read(into buffer: inout ReceiveBuffer, atMost limit: Int) -> [UInt8] {
    do throws(SystemError) {
      guard case .bytes = try Socket.read(raw, into: &buffer, atMost: limit) else { return [] }
      return Array(buffer.received)
    } catch {
      // The kernel reports an error once, so it is kept for the event that follows.
      readError = error
      return []
    }
  }

  /// Leaves the connection to its next owner.
  func leave() { loop.remove(registration) }

  func close() {
    loop.remove(registration)
    descriptor.close()
  }
}
