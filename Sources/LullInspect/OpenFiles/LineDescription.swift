package import LullModel
package import LullSystem

/// The ends of a descriptor's connection, for people.
package struct LineDescription: Hashable, Sendable {
  package let kind: LineKind
  /// Such as "127.0.0.1:10000"; empty for a descriptor that is no socket.
  package let local: String
  package let peer: String
  /// Nil for a descriptor that is no IP socket.
  package let localPort: UInt16?
  package let peerPort: UInt16?
  package let isListening: Bool
  /// False: each message stays by itself.
  package let isStream: Bool

  /// Nil for a line without a peer, and for one that is no IP socket.
  package var peerHost: HostAddress? {
    // A link-local address names its link, which makes no difference here.
    guard let link = peer.firstIndex(of: "%"), let end = peer.lastIndex(of: "]") else {
      return HostAddress(of: peer)
    }
    return HostAddress(of: String(peer[..<link] + peer[end...]))
  }

  /// A socket that was described before it was bound or connected may have a port or a peer by now, and one
  /// of datagrams another peer.
  package var mayChange: Bool { kind == .udp || kind != .other && peer.isEmpty && !isListening }

  package var isEvent: Bool { kind == .other && local == OpenFile.Kind.event.description }

  init(
    _ kind: LineKind, named name: String = "", isListening: Bool = false, isStream: Bool = true,
    local: SocketAddress? = nil, peer: SocketAddress? = nil
  ) {
    self.kind = kind
    self.isListening = isListening
    self.isStream = isStream
    self.local = local?.description ?? name
    self.peer = peer?.description ?? ""
    localPort = local?.port
    peerPort = peer?.port
  }

  package init(set number: Int32) { self.init(.set, named: "epoll \(number)") }

  package init(naming file: OpenFile.Kind) { self.init(.other, named: file.description) }
}

extension LineKind {
  fileprivate init(_ socket: SocketKind) {
    self =
      switch socket.transport {
      case .tcp: socket.isListening ? .tcpListen : .tcp
      case .udp: .udp
      case .unix: .unix
      case .other: .other
      }
  }
}

extension Socket {
  /// Describes any descriptor; never fails, since a line of an unknown kind is a line too.
  /// The corresponding C functions are `getsockopt`, `getsockname` and `getpeername`.
  package static func describe(_ raw: Int32) -> LineDescription {
    guard let kind = kind(of: raw) else { return LineDescription(.other) }
    return LineDescription(
      LineKind(kind), isListening: kind.isListening, isStream: kind.isStream,
      local: try? localAddress(raw), peer: try? peerAddress(raw))
  }

  /// Looks again where that is needed.
  package static func describe(_ raw: Int32, known: LineDescription) -> LineDescription {
    let isBare = known.localPort != nil && known.peer.isEmpty
    guard known.mayChange, !isBare || (try? peerAddress(raw)) != nil else { return known }
    return describe(raw)
  }
}
