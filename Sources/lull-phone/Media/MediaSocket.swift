import Lull
import LullSystem

/// The UDP ports of a call: one for RTP and RTCP together (RFC 5761), and the next one for the RTCP of peers
/// that send it there (RFC 3550, section 11).
final class MediaSocket {
  enum Port {
    /// The port of the sound, and of reports beside it.
    case sound
    /// The next port, of reports alone.
    case reports
  }

  private static let largestDatagram = 65_536
  /// So many datagrams are read in one turn of the loop.
  private static let batch = 64
  /// More datagrams than the kernel keeps for a socket.
  private static let mostQueued = 4096
  /// The attempts to get two ports side by side.
  private static let attempts = 16

  private let sound: DescriptorBox
  /// Nil when the next port is taken: then reports come with the sound or not at all.
  private let reports: DescriptorBox?
  private var watches: [Watch] = []
  private var buffer = ReceiveBuffer(capacity: MediaSocket.largestDatagram)

  /// Opens ports of every interface, of the family of the peer's address; with port 0 two that are free.
  init(towards peer: SocketAddress?, port: UInt16) throws {
    let isV6 = peer?.networkBytes?.address.count == 16
    (sound, reports) = try MediaSocket.open(port, isV6: isV6)
    for box in [sound, reports].compactMap(\.self) {
      // Where this is refused the call works all the same.
      try? Socket.setExpeditedForwarding(box.raw)
    }
  }

  private static func open(_ port: UInt16, isV6: Bool) throws -> (DescriptorBox, DescriptorBox?) {
    for _ in 0..<attempts where port == 0 {
      let one = try bind(0, isV6: isV6)
      guard let number = try Socket.localAddress(one.raw).port else { continue }
      // RTP has the even port of the two.
      guard let other = try? bind(number ^ 1, isV6: isV6) else { continue }
      return number.isMultiple(of: 2) ? (one, other) : (other, one)
    }
    let sound = try bind(port, isV6: isV6)
    guard let number = try Socket.localAddress(sound.raw).port, number < .max else { return (sound, nil) }
    return (sound, try? bind(number + 1, isV6: isV6))
  }

  private static func bind(_ port: UInt16, isV6: Bool) throws -> DescriptorBox {
    guard let address = SocketAddress(numeric: isV6 ? "[::]:\(port)" : "0.0.0.0:\(port)") else {
      throw CallError("no port \(port)")
    }
    return DescriptorBox(try Socket.bindDatagram(address))
  }

  var port: UInt16 { (try? Socket.localAddress(sound.raw))?.port ?? 0 }

  /// Hands every datagram that comes from now on to the handler, with its sender. Datagrams from before the
  /// call are dropped.
  func receive(
    in application: Application, handler: @escaping (ArraySlice<UInt8>, SocketAddress, Port) -> Void
  ) throws(LullError) {
    try receive(sound, .sound, in: application, handler)
    if let reports { try receive(reports, .reports, in: application, handler) }
  }

  private func receive(
    _ box: DescriptorBox, _ port: Port, in application: Application,
    _ handler: @escaping (ArraySlice<UInt8>, SocketAddress, Port) -> Void
  ) throws(LullError) {
    read(box, atMost: MediaSocket.mostQueued) { _, _ in }
    watches.append(
      try application.watch(box.raw) { [weak self] in
        self?.read(box, atMost: MediaSocket.batch) { handler(Array($0)[...], $1, port) }
      })
  }

  private func read(
    _ box: DescriptorBox, atMost most: Int, _ handler: (ArraySlice<UInt8>, SocketAddress) -> Void
  ) {
    for _ in 0..<most where box.isOpen {
      do throws(SystemError) {
        guard let sender = try Socket.readDatagram(box.raw, into: &buffer) else { return }
        handler(buffer.received, sender)
      } catch {
        // The error answers an earlier datagram: the peer's port is not open yet.
        guard error.isConnectionRefused else { return }
      }
    }
  }

  /// Without room in the kernel, or without a route, the datagram is lost as on every network.
  func send(_ datagram: [UInt8], to address: SocketAddress, from port: Port = .sound) {
    guard let box = port == .sound ? sound : reports else { return }
    _ = try? Socket.sendDatagram(box.raw, datagram, to: address)
  }

  func close() {
    for watch in watches { watch.cancel() }
    watches = []
    sound.close()
    reports?.close()
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
