internal import CLinux
internal import Glibc

package struct TCPActivity: Hashable, Sendable {
  package let isEstablished: Bool
  /// Nanoseconds since this side last sent data, keep-alive probes not counted; the kernel counts in steps of
  /// up to 10 ms. When nothing was sent: since the connection was made.
  package let sinceSent: Int64
  /// Nanoseconds since data last arrived. When nothing arrived: since the connection was made.
  package let sinceReceived: Int64
  package let hasSent: Bool
  /// The bytes that have arrived, with those that wait to be read.
  package let received: Int64
}

extension Socket {
  /// EOPNOTSUPP or ENOPROTOOPT: the socket is no TCP socket.
  package static func tcpActivity(_ raw: Int32) throws(SystemError) -> TCPActivity {
    var info = clinux_tcp_traffic()
    try systemCall("getsockopt(TCP_INFO)", on: .foreign) { unsafe clinux_tcp_info(raw, &info) }
    return TCPActivity(
      isEstablished: info.is_established, sinceSent: Int64(info.since_sent) * 1_000_000,
      sinceReceived: Int64(info.since_received) * 1_000_000, hasSent: info.has_sent,
      received: Int64(clamping: info.received))
  }

  /// The sender of the first datagram that waits, which stays there; nil when none waits or it has no
  /// address.
  package static func peekSender(_ raw: Int32) -> SocketAddress? {
    let flags = Int32(MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC)
    let sender = try? unsafe SocketAddress("recvfrom", on: .foreign) { address, size in
      unsafe recvfrom(raw, nil, 0, flags, address, size) == -1 ? -1 : 0
    }
    return sender.flatMap { $0.bytes.isEmpty ? nil : $0 }
  }

  /// The seconds of idleness after which the kernel probes the connection; nil without probes.
  package static func keepAliveIdle(_ raw: Int32) -> Int32? {
    guard
      let set = try? option(raw, option: SO_KEEPALIVE, name: "getsockopt(SO_KEEPALIVE)"),
      set != 0
    else {
      return nil
    }
    return try? option(raw, level: Int32(IPPROTO_TCP), option: TCP_KEEPIDLE, name: "getsockopt(TCP_KEEPIDLE)")
  }
}
