internal import CLinux
internal import Glibc

/// The peer of a Unix socket, as the kernel noted it when the connection was made.
package struct PeerCredentials: Hashable, Sendable {
  /// The process that connected; it may have ended since.
  package let pid: Int32
  /// Its effective user.
  package let uid: UInt32
}

/// Stream sockets with a path, which can carry descriptors.
package enum UnixSocket {
  /// The most bytes of a socket's path: `sun_path` holds one more, for NUL.
  package static let longestPath = 107

  /// A listening socket (non-blocking) whose file only the owner can use (0600). EADDRINUSE: the file exists;
  /// ENAMETOOLONG: the path has more than 107 bytes.
  package static func listen(path: String, backlog: Int32 = 128) throws(SystemError) -> Descriptor {
    let address = try SocketAddress(path: path)
    let socket = try open(flags: Int32(SOCK_NONBLOCK.rawValue))
    // Linux gives the file the mode of the socket: between bind and a chmod of the file anybody could
    // connect, and umask belongs to all threads.
    try systemCall("fchmod") { fchmod(socket.raw, 0o600) }
    try address.bind(socket.raw)
    try systemCall("listen") { Glibc.listen(socket.raw, backlog) }
    return socket
  }

  /// A connection to a listening socket. ENOENT: no such file; ECONNREFUSED: nobody listens any more. The
  /// descriptor blocks, but `send` and `receive` never do.
  package static func connect(path: String) throws(SystemError) -> Descriptor {
    let address = try SocketAddress(path: path)
    let socket = try open(flags: 0)
    try systemCall("connect") { address.connect(socket.raw) }
    return socket
  }

  /// A socket for datagrams, at a path of its own when somebody is to send some to it. EADDRINUSE: the file
  /// exists.
  package static func datagrams(at path: String? = nil) throws(SystemError) -> Descriptor {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let made = try Descriptor(owning: systemCall("socket") { socket(AF_UNIX, kind, 0) })
    if let path { try SocketAddress(path: path).bind(made.raw) }
    return made
  }

  /// A socket that sends its datagrams to an address. ENOENT: no such file; ECONNREFUSED: nobody receives
  /// there. The corresponding C functions are `socket` and `connect`.
  package static func datagrams(to address: SocketAddress) throws(SystemError) -> Descriptor {
    let made = try datagrams()
    try systemCall("connect") { address.connect(made.raw) }
    return made
  }

  package static func pair() throws(SystemError) -> (DescriptorBox, DescriptorBox) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try systemCall("socketpair") { unsafe socketpair(AF_UNIX, kind, 0, &ends) }
    return (DescriptorBox(Descriptor(owning: ends[0])), DescriptorBox(Descriptor(owning: ends[1])))
  }

  package static func peer(of raw: Int32) throws(SystemError) -> PeerCredentials {
    var (pid, uid): (pid_t, uid_t) = (0, 0)
    try systemCall("getsockopt(SO_PEERCRED)") { unsafe clinux_peer_credentials(raw, &pid, &uid) }
    return PeerCredentials(pid: pid, uid: uid)
  }

  /// The process that connected, even when its number was given to another process since. Before Linux 6.5
  /// the process is looked up by number, which leaves that race open.
  package static func peerPidfd(of raw: Int32) throws(SystemError) -> Descriptor {
    do {
      return try Descriptor(owning: systemCall("getsockopt(SO_PEERPIDFD)") { clinux_peer_pidfd(raw) })
    } catch {
      guard error.code == ENOPROTOOPT else { throw error }
      return try Process.pidfdOpen(peer(of: raw).pid)
    }
  }

  fileprivate static func open(flags: Int32) throws(SystemError) -> Descriptor {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
    return try Descriptor(owning: systemCall("socket") { socket(AF_UNIX, kind, 0) })
  }
}

extension UnixSocket {
  /// Somebody listens at a path, however many connections wait there. The call never waits. The corresponding
  /// C function is `connect` (non-blocking).
  package static func isListening(path: String) -> Bool {
    do throws(SystemError) {
      _ = try connectNow(path: path)
      return true
    } catch {
      return error.isWouldBlock
    }
  }

  /// The process that listens at a path, as the kernel noted it when that began to listen; nil when nobody
  /// listens, or too many connections wait there. The call never waits. The corresponding C functions are
  /// `connect` (non-blocking) and `getsockopt(SO_PEERCRED)`.
  package static func listener(path: String) -> PeerCredentials? {
    guard let end = try? connectNow(path: path) else { return nil }
    return try? peer(of: end.raw)
  }

  private static func connectNow(path: String) throws(SystemError) -> Descriptor {
    let address = try SocketAddress(path: path)
    let end = try open(flags: Int32(SOCK_NONBLOCK.rawValue))
    try systemCall("connect") { address.connect(end.raw) }
    return end
  }
}
