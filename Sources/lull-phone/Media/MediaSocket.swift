import Lull
import LullSystem

/// The UDP port of a call, for RTP and RTCP together (RFC 5761).
final class MediaSocket {
  private static let largestDatagram = 65_536
  /// The most datagrams that are read in one turn of the loop.
  private static let batch = 64

  private let socket: DescriptorBox
  private var watch: Watch?
  private var buffer = ReceiveBuffer(capacity: MediaSocket.largestDatagram)

  /// Opens a port of every interface, of the family of the peer's address; port 0: a free port.
  init(towards peer: SocketAddress?, port: UInt16) throws {
    let isV6 = peer?.networkBytes?.address.count == 16
    guard let address = SocketAddress(numeric: isV6 ? "[::]:\(port)" : "0.0.0.0:\(port)") else {
      throw CallError("no port \(port)")
    }
    socket = DescriptorBox(try Socket.bindDatagram(address))
    // Where this is refused the call works all the same.
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
        // The error answers an earlier datagram: the peer's port is not open yet.
        guard error.isConnectionRefused else { return }
      }
    }
  }

  /// Sends a datagram; without room in the kernel, or without a route, it is lost as on every network.
  func send(_ datagram: [UInt8], to address: SocketAddress) {
    _ = try? Socket.sendDatagram(socket.raw, datagram, to: address)
  }

  func close() {
    watch?.cancel()
    watch = nil
    socket.close()
  }

  /// The address of this port towards another address; nothing is sent.
  func address(towards other: SocketAddress) throws -> SocketAddress {
    let probe = try Socket.connectDatagram(other)
    let own = try Socket.localAddress(probe.raw).description
    let host = own[..<(own.lastIndex(of: ":") ?? own.endIndex)]
    guard let address = SocketAddress(numeric: "\(host):\(port)") else {
      throw CallError("\(other): nobody there could send to this machine")
    }
    return address
  }
}
