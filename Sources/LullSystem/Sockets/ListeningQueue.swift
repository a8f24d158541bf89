internal import CLinux
internal import Glibc

/// The connections that the kernel has completed for a listening TCP socket, and that wait to be accepted.
package struct ListeningQueue: Sendable {
  package let length: Int
  /// The greatest length (listen(2)).
  package let limit: Int

  /// ENOPROTOOPT: the socket is no TCP socket. The corresponding C function is `getsockopt(TCP_INFO)`.
  package init(of raw: Int32) throws(SystemError) {
    var (length, limit): (UInt32, UInt32) = (0, 0)
    try systemCall("getsockopt(TCP_INFO)", on: .foreign) { unsafe clinux_queue(raw, &length, &limit) }
    (self.length, self.limit) = (Int(length), Int(limit))
  }
}

/// Where the kernel lists the peers of a listening socket's queue: its network namespace, address and port.
package struct QueuePlace: Sendable {
  private static let socketCookie: Int32 = 71  // SO_NETNS_COOKIE
  private static let mostPeers = 1024

  private let address: [UInt8]
  private let port: UInt16
  private let space: UInt64

  /// `space` is nil for this process's own network namespace. EPERM: it is another one, for which there are
  /// no rights; ENOPROTOOPT: a kernel before 5.14 does not tell namespaces apart.
  package static func of(_ raw: Int32) throws(SystemError) -> (place: QueuePlace, space: DescriptorBox?) {
    guard let (address, port) = try Socket.localAddress(raw).networkBytes else {
      throw SystemError(code: EAFNOSUPPORT, call: "getsockname")
    }
    let place = QueuePlace(address: address, port: port, space: try cookie(raw, on: .foreign))
    let own = try Netlink.open(Netlink.diagnosis)
    guard try cookie(own.raw, on: .own) != place.space else { return (place, nil) }
    let namespaceOf: UInt = 0x894C  // SIOCGSKNS
    let number = try systemCall("ioctl(SIOCGSKNS)", on: .foreign) { ioctl(raw, namespaceOf, 0) }
    return (place, DescriptorBox(Descriptor(owning: number)))
  }

  /// The addresses of the peers whose connections nobody has accepted. A connection that its peer has broken
  /// off is not listed, and stays in the queue. The kernel goes through its whole table of connections, which
  /// takes milliseconds; `space` is that of `of`. EOVERFLOW: there are more than 1024.
  package func peers(space raw: Int32?) throws(SystemError) -> [HostAddress] {
    let socket = try Netlink.open(Netlink.diagnosis, in: raw)
    guard try Self.cookie(socket.raw, on: .own) == space else {
      throw SystemError(code: ENOENT, call: "setns")
    }
    var peers: [HostAddress] = []
    try Netlink.dump(20, request, from: socket.raw) { message in  // SOCK_DIAG_BY_FAMILY
      if let peer = peer(message.payload) { peers.append(peer) }
      return peers.count <= Self.mostPeers
    }
    return peers
  }

  private static func cookie(_ raw: Int32, on origin: DescriptorOrigin) throws(SystemError) -> UInt64 {
    try Socket.option(
      raw, option: socketCookie, into: UInt64(0), name: "getsockopt(SO_NETNS_COOKIE)", on: origin)
  }

  /// struct inet_diag_req_v2, and a filter for the port: at least and at most.
  private var request: NetlinkBytes {
    let family = UInt8(address.count == 4 ? AF_INET : AF_INET6)
    let states: UInt32 = 1 << 1 | 1 << 8  // TCP_ESTABLISHED, TCP_CLOSE_WAIT: nobody has closed it here
    let head = NetlinkBytes().adding(family).adding(UInt8(IPPROTO_TCP)).adding(UInt16(0)).adding(states)
      .adding(zeros: 48)
    // struct inet_diag_bc_op: code, length where it holds, length where it does not; the port in the next
    // one.
    return head.adding(UInt16(20)).adding(UInt16(1))  // INET_DIAG_REQ_BYTECODE
      .adding(UInt8(2)).adding(UInt8(8)).adding(UInt16(20)).adding(UInt16(0)).adding(port)
      .adding(UInt8(3)).adding(UInt8(8)).adding(UInt16(12)).adding(UInt16(0)).adding(port)
  }

  /// Nil for a connection that has been accepted, and for one to another address. The payload is a struct
  /// inet_diag_msg.
  private func peer(_ message: ArraySlice<UInt8>) -> HostAddress? {
    guard message.number(at: 68, UInt32.self) == 0 else { return nil }  // without an inode: in no process yet
    let local = Array(message.dropFirst(8).prefix(address.count))
    guard local == address || address.allSatisfy({ $0 == 0 }) else { return nil }
    return HostAddress(bytes: message.dropFirst(24).prefix(address.count))
  }
}
