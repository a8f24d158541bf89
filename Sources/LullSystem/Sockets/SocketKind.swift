internal import Glibc

package struct SocketKind: Equatable {
  package enum Transport {
    case tcp, udp, unix, other
  }

  package let transport: Transport
  package let isListening: Bool
  /// False: each message stays by itself.
  package let isStream: Bool
}

extension Socket {
  /// Nil for a descriptor that is no socket. The corresponding C function is `getsockopt(SO_DOMAIN,
  /// SO_PROTOCOL, SO_ACCEPTCONN, SO_TYPE)`.
  package static func kind(of raw: Int32) -> SocketKind? {
    guard let domain = try? option(raw, option: SO_DOMAIN, name: "getsockopt(SO_DOMAIN)")
    else { return nil }
    let listens = try? option(
      raw, option: SO_ACCEPTCONN, name: "getsockopt(SO_ACCEPTCONN)")
    let type = try? option(raw, option: SO_TYPE, name: "getsockopt(SO_TYPE)")
    return SocketKind(
      transport: transport(raw, domain), isListening: listens == 1,
      isStream: type == Int32(SOCK_STREAM.rawValue))
  }

  private static func transport(_ raw: Int32, _ domain: Int32) -> SocketKind.Transport {
    guard domain != AF_UNIX else { return .unix }
    let number = try? option(raw, option: SO_PROTOCOL, name: "getsockopt(SO_PROTOCOL)")
    switch (domain, number.map(Int.init)) {
    case (AF_INET, IPPROTO_TCP), (AF_INET6, IPPROTO_TCP): return .tcp
    case (AF_INET, IPPROTO_UDP), (AF_INET6, IPPROTO_UDP): return .udp
    default: return .other
    }
  }

  package static func localAddress(_ raw: Int32) throws(SystemError) -> SocketAddress {
    try unsafe SocketAddress("getsockname", on: .foreign) { address, size in
      unsafe getsockname(raw, address, size)
    }
  }

  package static func peerAddress(_ raw: Int32) throws(SystemError) -> SocketAddress {
    try unsafe SocketAddress("getpeername", on: .foreign) { address, size in
      unsafe getpeername(raw, address, size)
    }
  }
}
