import Glibc
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SocketTests {
  @Test func `an abstract address begins with an at sign, and bytes that are not UTF-8 are replaced`() throws
  {
    let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let owner = Descriptor(owning: raw)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = [0, 0x6c, 0xff, 0x78] as [UInt8]
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(owner.raw, $0, 6) }
    }
    try #require(bound == 0)
    #expect(try Socket.localAddress(owner.raw).description == "@l\u{fffd}x")
  }

  @Test func `peeking leaves the bytes, and a limited read leaves the rest`() throws {
    let pair = try tcpPair()
    #expect(try Socket.write(pair.client.raw, Array("ping\nmore".utf8)) == .sent(9))
    _ = try ready(pair.server.raw, .readable)
    var buffer = ReceiveBuffer(capacity: 64)
    #expect(try Socket.peek(pair.server.raw, into: &buffer) == .bytes(9))
    #expect(try Socket.unreadBytes(pair.server.raw) == 9)
    #expect(try Socket.read(pair.server.raw, into: &buffer, atMost: 5) == .bytes(5))
    #expect(Array(buffer.received) == Array("ping\n".utf8))
    #expect(try Socket.unreadBytes(pair.server.raw) == 4)
    #expect(try Socket.read(pair.server.raw, into: &buffer) == .bytes(4))
    #expect(try Socket.read(pair.server.raw, into: &buffer) == .wouldBlock)
    #expect(try Socket.peek(pair.server.raw, into: &buffer) == .wouldBlock)
    pair.client.close()
    _ = try ready(pair.server.raw, .readable)
    #expect(try Socket.read(pair.server.raw, into: &buffer) == .endOfStream)
  }

  @Test func `a connection that nobody accepts at is refused`() throws {
    let reserved = Descriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    try bindLoopback(reserved.raw)
    let port = try #require(try Socket.localAddress(reserved.raw).port)
    do {
      let socket = try Socket.connectNonBlocking(.loopback(port: port))
      _ = try ready(socket.raw, .writable)
      #expect(try Socket.connectError(socket.raw)?.isConnectionRefused == true)
      #expect(try Socket.connectError(socket.raw) == nil)
    } catch let error as SystemError {
      #expect(error.isConnectionRefused)
    }
  }

  @Test func `a connection that is made has no error`() throws {
    let pair = try tcpPair()
    _ = try ready(pair.client.raw, .writable)
    #expect(try Socket.connectError(pair.client.raw) == nil)
  }

  @Test func `writing to a closed connection is an outcome, not a signal`() throws {
    let pair = try UnixSocket.pair()
    pair.1.close()
    _ = try ready(pair.0.raw, .readable)
    #expect(try Socket.write(pair.0.raw, [1]) == .closed)
  }

  @Test func `numeric hosts are resolved in both families`() throws {
    #expect(try Socket.resolve(host: "127.0.0.1", port: 10000).map(\.description) == ["127.0.0.1:10000"])
    #expect(try Socket.resolve(host: "::1", port: 10000).map(\.description) == ["[::1]:10000"])
    #expect(try Socket.resolve(host: "fe80::1%1", port: 1).first?.description.contains("fe80::1%") == true)
  }

  @Test func `a host that cannot be is a clear error`() throws {
    let error = #expect(throws: ResolveError.self) { try Socket.resolve(host: "1.2.3.4.5", port: 1) }
    #expect(error?.description.hasPrefix("1.2.3.4.5: ") == true)
  }

  @Test func `keep-alive probes are asked of the kernel`() throws {
    let pair = try tcpPair()
    try Socket.setKeepAlive(pair.client.raw, idleSeconds: 120)
    #expect(option(pair.client.raw, level: SOL_SOCKET, name: SO_KEEPALIVE) == 1)
    #expect(option(pair.client.raw, level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE) == 120)
    #expect(option(pair.client.raw, level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL) == 75)
  }
}

/// Binds a socket to a free port that it does not listen on.
private func bindLoopback(_ raw: Int32) throws {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let bound = unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  try #require(bound == 0)
}

private func option(_ raw: Int32, level: Int32, name: Int32) -> Int32 {
  var value: Int32 = -1
  var size = socklen_t(4)
  return unsafe getsockopt(raw, level, name, &value, &size) == 0 ? value : -1
}
