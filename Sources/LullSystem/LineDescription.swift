internal import Glibc

/// What a descriptor is connected to, for people.
public struct LineDescription: Hashable, Sendable {
  /// The kind of a line.
  public enum Kind: Hashable, Sendable {
    /// A TCP connection.
    case tcp
    /// A UDP socket.
    case udp
    /// A TCP socket that accepts connections.
    case tcpListen
    /// A Unix socket.
    case unix
    /// An epoll set, watched as a whole.
    case set
    /// Anything else, such as a pipe or a device.
    case other
  }

  /// The kind.
  public let kind: Kind
  /// The own address, such as "127.0.0.1:10000"; empty for what is no socket.
  public let local: String
  /// The peer's address; empty when there is none.
  public let peer: String
  /// The own port; nil for what is no IP socket.
  public let localPort: UInt16?
  /// The peer's port; nil for what is no IP socket, and when there is no peer.
  public let peerPort: UInt16?

  /// Whether connections arrive there.
  public let isListening: Bool
  /// False for a socket whose messages stay apart.
  public let isStream: Bool

  init(
    _ kind: Kind, isListening: Bool = false, isStream: Bool = true, local: SocketAddress? = nil,
    peer: SocketAddress? = nil
  ) {
    self.kind = kind
    self.isListening = isListening
    self.isStream = isStream
    self.local = local?.description ?? ""
    self.peer = peer?.description ?? ""
    localPort = local?.port
    peerPort = peer?.port
  }

  /// Describes an epoll set by its number in its program.
  public init(set number: Int32) {
    kind = .set
    local = "epoll \(number)"
    peer = ""
    localPort = nil
    peerPort = nil
    isListening = false
    isStream = true
  }

  /// Describes what is no socket by what its link in `/proc` says.
  public init(naming file: OpenFile.Kind) {
    kind = .other
    local = file.description
    peer = ""
    localPort = nil
    peerPort = nil
    isListening = false
    isStream = true
  }
}

extension Socket {
  /// Describes any descriptor; never fails, since a line of an unknown kind is a line too.
  /// The corresponding C functions are `getsockopt`, `getsockname` and `getpeername`.
  public static func describe(_ raw: Int32) -> LineDescription {
    guard let kind = kind(raw) else { return LineDescription(.other) }
    let listens = try? option(raw, SOL_SOCKET, SO_ACCEPTCONN, "getsockopt(SO_ACCEPTCONN)")
    let type = try? option(raw, SOL_SOCKET, SO_TYPE, "getsockopt(SO_TYPE)")
    return LineDescription(
      kind, isListening: listens == 1, isStream: type == Int32(SOCK_STREAM.rawValue),
      local: try? localAddress(raw), peer: try? peerAddress(raw))
  }

  /// The address that the socket is bound to. The corresponding C function is `getsockname`.
  public static func localAddress(_ raw: Int32) throws(SystemError) -> SocketAddress {
    try unsafe SocketAddress("getsockname", on: .foreign) { address, size in
      unsafe getsockname(raw, address, size)
    }
  }

  /// The address that the socket is connected to. The corresponding C function is `getpeername`.
  public static func peerAddress(_ raw: Int32) throws(SystemError) -> SocketAddress {
    try unsafe SocketAddress("getpeername", on: .foreign) { address, size in
      unsafe getpeername(raw, address, size)
    }
  }

  /// The kind of a socket; nil for what is no socket.
  private static func kind(_ raw: Int32) -> LineDescription.Kind? {
    guard let domain = try? option(raw, SOL_SOCKET, SO_DOMAIN, "getsockopt(SO_DOMAIN)") else { return nil }
    let protocolNumber = try? option(raw, SOL_SOCKET, SO_PROTOCOL, "getsockopt(SO_PROTOCOL)")
    switch (domain, protocolNumber.map(Int.init)) {
    case (AF_UNIX, _): return .unix
    case (AF_INET, IPPROTO_TCP), (AF_INET6, IPPROTO_TCP):
      let listens = try? option(raw, SOL_SOCKET, SO_ACCEPTCONN, "getsockopt(SO_ACCEPTCONN)")
      return listens == 1 ? .tcpListen : .tcp
    case (AF_INET, IPPROTO_UDP), (AF_INET6, IPPROTO_UDP): return .udp
    default: return .other
    }
  }
}
