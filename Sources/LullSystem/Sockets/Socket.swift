internal import CLinux
internal import Glibc

package struct ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The resolver's number (`EAI_NONAME` and so on).
  package let code: Int32
  package let host: String

  /// For example "nowhere.invalid: Name or service not known".
  package var description: String { unsafe "\(host): \(String(cString: gai_strerror(code)))" }
}

/// Network sockets. No call but `resolve` waits, and none raises SIGPIPE.
package enum Socket {
  /// The stream addresses of a host, in the order in which they should be tried. The call waits for the name
  /// service, unless the host is an address itself; with `onlyNumeric` every other host is an error.
  package static func resolve(
    host: String, port: UInt16, onlyNumeric: Bool = false
  ) throws(ResolveError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICSERV | (onlyNumeric ? AI_NUMERICHOST : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else { throw ResolveError(code: code, host: host) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      let bytes = unsafe UnsafeRawBufferPointer(
        start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
      unsafe addresses.append(SocketAddress(bytes: Array(bytes)))
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }

  /// Begins a connection; the socket becomes writable when it is made or has failed (see `connectError`).
  package static func connectNonBlocking(_ address: SocketAddress) throws(SystemError) -> Descriptor {
    let socket = try open(address, SOCK_STREAM)
    if address.connect(socket.raw) == -1 {
      let error = SystemError("connect")
      // An interrupted connect goes on by itself; asking again would be refused with EALREADY.
      guard error.code == EINPROGRESS || error.code == EINTR else { throw error }
    }
    return socket
  }

  /// Takes the socket's waiting error, which says how a connection ended; nil when there is none. Only for
  /// own sockets: taken from a duplicate it is stolen from the owner.
  package static func connectError(_ raw: Int32) throws(SystemError) -> SystemError? {
    let code = try option(raw, option: SO_ERROR, name: "getsockopt(SO_ERROR)")
    return code == 0 ? nil : SystemError(code: code, call: "connect")
  }

  /// A listening TCP socket; with port 0 `localAddress` tells the port that was chosen.
  package static func listen(_ address: SocketAddress, backlog: Int32 = 128) throws(SystemError) -> Descriptor
  {
    let socket = try open(address, SOCK_STREAM)
    try set(socket.raw, level: SOL_SOCKET, option: SO_REUSEADDR, value: 1, name: "setsockopt(SO_REUSEADDR)")
    try address.bind(socket.raw)
    try systemCall("listen") { Glibc.listen(socket.raw, backlog) }
    return socket
  }

  package static func bindDatagram(_ address: SocketAddress) throws(SystemError) -> Descriptor {
    let socket = try open(address, SOCK_DGRAM)
    try address.bind(socket.raw)
    return socket
  }

  package static func connectDatagram(_ address: SocketAddress) throws(SystemError) -> Descriptor {
    let socket = try open(address, SOCK_DGRAM)
    try systemCall("connect") { address.connect(socket.raw) }
    return socket
  }

  /// The next connection, non-blocking and closed on exec; nil when none waits.
  package static func accept(from raw: Int32) throws(SystemError) -> Descriptor? {
    while true {
      do {
        return try Descriptor(owning: systemCall("accept4") { clinux_accept(raw) })
      } catch {
        // The peer gave up between its connect and this accept; the next one may be waiting behind it.
        if error.code == ECONNABORTED { continue }
        guard error.isWouldBlock else { throw error }
        return nil
      }
    }
  }

  private static func open(_ address: SocketAddress, _ type: __socket_type) throws(SystemError) -> Descriptor
  {
    let kind = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return try Descriptor(owning: systemCall("socket") { socket(address.family, kind, 0) })
  }
}
