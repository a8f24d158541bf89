import LullInspect
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct LineDescriptionTests {
  @Test func `a TCP connection and its listener are described`() throws {
    let listener = try Socket.listen(.loopback())
    let port = try #require(try Socket.localAddress(listener.raw).port)
    let client = try Socket.connectNonBlocking(.loopback(port: port))
    _ = try ready(client.raw, .writable)
    let clientPort = try #require(try Socket.localAddress(client.raw).port)
    let line = Socket.describe(client.raw)
    #expect(line.kind == .tcp)
    #expect(line.local == "127.0.0.1:\(clientPort)")
    #expect(line.peer == "127.0.0.1:\(port)")
    let listening = Socket.describe(listener.raw)
    #expect(listening.kind == .tcpListen)
    #expect(listening.local == "127.0.0.1:\(port)")
    #expect(listening.peer == "")
  }

  @Test func `IPv6, UDP, Unix sockets and what is no socket are described`() throws {
    let six = try Socket.bindDatagram(.loopbackV6())
    let port = try #require(try Socket.localAddress(six.raw).port)
    #expect(Socket.describe(six.raw).kind == .udp)
    #expect(Socket.describe(six.raw).local == "[::1]:\(port)")
    let directory = try TemporaryDirectory()
    let path = try UnixSocket.listen(path: "\(directory.path)/s")
    #expect(Socket.describe(path.raw).kind == .unix)
    #expect(Socket.describe(path.raw).local == "\(directory.path)/s")
    let unnamed = try UnixSocket.pair().0
    #expect(Socket.describe(unnamed.raw).local == "unnamed")
    let counter = try EventDescriptor()
    #expect(Socket.describe(counter.raw).kind == .other)
    #expect(Socket.describe(counter.raw).local == "")
  }

  @Test(arguments: [SocketAddress.loopback(), .loopbackV6()])
  func `the ports of a line are told`(address: SocketAddress) throws {
    let listener = try Socket.listen(address)
    let port = try #require(try Socket.localAddress(listener.raw).port)
    let client = try Socket.connectNonBlocking(Socket.localAddress(listener.raw))
    let line = Socket.describe(client.raw)
    #expect(try line.localPort == Socket.localAddress(client.raw).port && line.localPort != nil)
    #expect(line.peerPort == port)
    #expect(Socket.describe(listener.raw).localPort == port)
    #expect(Socket.describe(listener.raw).peerPort == nil)
    let (unix, _) = try UnixSocket.pair()
    #expect(Socket.describe(unix.raw).localPort == nil && Socket.describe(unix.raw).peerPort == nil)
  }
}
