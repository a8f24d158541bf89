import Lull
import LullSystem

/// The UDP port of a call, for RTP and RTCP together (RFC 5761).
final class MediaSocket {
  private static let largestDatagram = 65_536
  /// A datagram that is sent while the port is full is lost; so many are read in one turn of the loop.
  private static let batch = 64

  private let socket: DescriptorBox
  private var watch: Watch?
  private var buffer = ReceiveBuffer(capacity: MediaSocket.largestDatagram)

  /// Opens a port; `address` may be that of every interface, and its port 0.
  init(_ address: SocketAddress) throws(SystemError) {
    socket = DescriptorBox(try Socket.bindDatagram(address))
    // Where it is refused the call works all the same.
    try? Socket.setExpeditedForwarding(socket.raw)
  }

  var port: UInt16 { (try? Socket.localAddress(socket.raw))?.port ?? 0 }

  /// Hands every datagram to the handler, with its sender.
  func receive(in application: Application, handler: @escaping (ArraySlice<UInt8>, SocketAddress) -> Void)
    throws(LullError)
  {
    watch = try application.watch(socket.raw) { [weak self] in self?.readable(handler) }
  }

  private func readable(_ handler: (ArraySlice<UInt8>, SocketAddress) -> Void) {
    for _ in 0..<MediaSocket.batch where socket.isOpen {
      do throws(SystemError) {
        guard let sender = try Socket.readDatagram(socket.raw, into: &buffer) else { return }
        handler(Array(buffer.received)[...], sender)
      } catch {
        // An answer to an earlier datagram: nobody receives there yet.
        guard error.isConnectionRefused else { return }
      }
    }
  }

  /// Sends a datagram; what the kernel has no room for, or no way, is lost as on every network.
  func send(_ datagram: [UInt8], to address: SocketAddress) {
    _ = try? Socket.sendDatagram(socket.raw, datagram, to: address)
  }

  func close() {
    watch?.cancel()
    watch = nil
    socket.close()
  }

  /// The address that this machine has on the way to another one, which is not asked.
  static func ownAddress(towards other: SocketAddress) throws(SystemError) -> String {
    let text = try Socket.localAddress(Socket.connectDatagram(other).raw).description
    return String(text[..<(text.lastIndex(of: ":") ?? text.endIndex)])
  }

  /// Every interface, of the family of an address.
  static func everywhere(like other: SocketAddress?, port: UInt16) -> SocketAddress? {
    let isV6 = other?.networkBytes?.address.count == 16
    return SocketAddress(numeric: isV6 ? "[::]:\(port)" : "0.0.0.0:\(port)")
  }
}
