internal import Glibc

extension Socket {
  /// Receives at most `limit` bytes without waiting. ECONNRESET: the peer broke the connection.
  /// The corresponding C function is `recv(MSG_DONTWAIT)`.
  package static func read(
    _ raw: Int32, into buffer: inout ReceiveBuffer, atMost limit: Int = .max
  ) throws(SystemError) -> ReadOutcome {
    try receive(raw, into: &buffer, atMost: limit, flags: Int32(MSG_DONTWAIT))
  }

  /// Copies the bytes that wait, and leaves them there. The corresponding C function is `recv(MSG_PEEK)`.
  package static func peek(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome
  {
    try receive(raw, into: &buffer, atMost: .max, flags: Int32(MSG_DONTWAIT | MSG_PEEK))
  }

  /// Sends without waiting and without SIGPIPE.
  package static func write(_ raw: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> SendOutcome {
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    return try sendOutcome("send", on: .foreign) {
      unsafe bytes.withUnsafeBytes { bytes in unsafe send(raw, bytes.baseAddress, bytes.count, flags) }
    }
  }

  package static func write(_ raw: Int32, _ bytes: [UInt8]) throws(SystemError) -> SendOutcome {
    try write(raw, bytes.span)
  }

  /// Bytes (of a datagram socket: of the next datagram) that wait to be read.
  package static func unreadBytes(_ raw: Int32) throws(SystemError) -> Int {
    var count: Int32 = 0
    try systemCall("ioctl(FIONREAD)", on: .foreign) { unsafe ioctl(raw, UInt(FIONREAD), &count) }
    return Int(count)
  }

  /// Bytes that were written and have not been acknowledged by the peer.
  package static func unsentBytes(_ raw: Int32) throws(SystemError) -> Int {
    var count: Int32 = 0
    try systemCall("ioctl(SIOCOUTQ)", on: .foreign) { unsafe ioctl(raw, UInt(TIOCOUTQ), &count) }
    return Int(count)
  }

  /// The memory that everything waiting to be read takes up, all datagrams together.
  package static func queuedMemory(_ raw: Int32) throws(SystemError) -> Int {
    let memoryInformation: Int32 = 55  // SO_MEMINFO, whose first number is SK_MEMINFO_RMEM_ALLOC
    var numbers = InlineArray<16, UInt32>(repeating: 0)
    var size = socklen_t(MemoryLayout<UInt32>.size * 16)
    try systemCall("getsockopt(SO_MEMINFO)", on: .foreign) {
      var span = numbers.mutableSpan
      return unsafe span.withUnsafeMutableBufferPointer { room in
        unsafe getsockopt(raw, SOL_SOCKET, memoryInformation, room.baseAddress, &size)
      }
    }
    return Int(numbers[0])
  }

  private static func receive(
    _ raw: Int32, into buffer: inout ReceiveBuffer, atMost limit: Int, flags: Int32
  ) throws(SystemError) -> ReadOutcome {
    try readOutcome("recv", on: .foreign) {
      unsafe buffer.fill(atMost: limit) { room, count in unsafe recv(raw, room, count, flags) }
    }
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
