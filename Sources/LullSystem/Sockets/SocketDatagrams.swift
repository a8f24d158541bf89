internal import Glibc

extension Socket {
  /// Bytes that were written and have not been acknowledged by the peer.
  package static func unsentBytes(_ raw: Int32) throws(SystemError) -> Int {
    var count: Int32 = 0
    try systemCall("ioctl(SIOCOUTQ)", on: .foreign) { unsafe ioctl(raw, UInt(TIOCOUTQ), &count) }
    return Int(count)
  }

  /// Takes the next datagram without waiting and tells its sender; nil when none waits.
  package static func readDatagram(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError)
    -> SocketAddress?
  {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
    var size = socklen_t(bytes.count)
    let outcome = try readOutcome("recvfrom", on: .foreign) {
      unsafe buffer.fill(atMost: .max) { room, count in
        unsafe bytes.withUnsafeMutableBytes { address in
          let pointer = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self)
          return unsafe recvfrom(raw, room, count, Int32(MSG_DONTWAIT), pointer, &size)
        }
      }
    }
    guard case .bytes = outcome else { return nil }
    return SocketAddress(bytes: Array(bytes.prefix(Int(size))))
  }

  /// Sends one datagram without waiting.
  @discardableResult
  package static func sendDatagram(_ raw: Int32, _ bytes: [UInt8], to address: SocketAddress)
    throws(SystemError)
    -> SendOutcome
  {
    try sendOutcome("sendto", on: .foreign) {
      unsafe address.withPointer { pointer, size in
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe sendto(
            raw, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), pointer, size)
        }
      }
    }
  }
}

extension SocketAddress {
  /// The address in network order (4 or 16 bytes) and the port; nil for other families.
  package var networkBytes: (address: [UInt8], port: UInt16)? {
    guard let port else { return nil }
    return family == AF_INET ? (Array(bytes[4..<8]), port) : (Array(bytes[8..<24]), port)
  }
}
