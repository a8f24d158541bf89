import Glibc
import TestSupport
import Testing

@testable import LullSystem

/// What the kernel tells of connections that nobody has accepted.
@Suite(.bounded) struct ListeningQueueTests {
  private func connect(from source: String, to address: SocketAddress) throws -> DescriptorBox {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let box = DescriptorBox(Descriptor(owning: socket(address.family, kind, 0)))
    try #require(SocketAddress(numeric: source)).bind(box.raw)
    try #require(address.connect(box.raw) == 0)
    return box
  }

  private func peers(of raw: Int32) throws -> [String] {
    let (place, space) = try QueuePlace.of(raw)
    #expect(space == nil)
    return try place.peers(space: nil).map { "\($0.bytes.map { String($0) }.joined(separator: "."))" }
      .sorted()
  }

  @Test func `the length of a queue, its limit and its peers are told, until they are accepted`() throws {
    let listener = try Socket.listen(.loopback(), backlog: 5)
    let address = try Socket.localAddress(listener.raw)
    #expect(try peers(of: listener.raw) == [])
    let first = try connect(from: "127.0.0.2:0", to: address)
    let second = try connect(from: "127.0.0.3:0", to: address)
    let queue = try ListeningQueue(of: listener.raw)
    #expect(queue.length == 2 && queue.limit == 5)
    #expect(try peers(of: listener.raw) == ["127.0.0.2", "127.0.0.3"])
    // The end of the peer's side changes nothing: what it has sent is to be read still.
    second.close()
    #expect(try peers(of: listener.raw) == ["127.0.0.2", "127.0.0.3"])
    // The first one to come is the first one to be accepted.
    let taken = try box(Socket.accept(from: listener.raw))
    #expect(try Socket.peerAddress(taken.raw) == Socket.localAddress(first.raw))
    #expect(try ListeningQueue(of: listener.raw).length == 1)
    #expect(try peers(of: listener.raw) == ["127.0.0.3"])
  }

  @Test func `a connection that was broken off is counted, and has no peer`() throws {
    let listener = try Socket.listen(.loopback())
    let peer = try connect(from: "127.0.0.2:0", to: Socket.localAddress(listener.raw))
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    #expect(unsafe setsockopt(peer.raw, SOL_SOCKET, SO_LINGER, &option, size) == 0)
    peer.close()
    #expect(try ListeningQueue(of: listener.raw).length == 1)
    #expect(try peers(of: listener.raw) == [])
    let taken = try box(Socket.accept(from: listener.raw))
    #expect(throws: SystemError.self) { try Socket.peerAddress(taken.raw) }
  }

  @Test func `a peer over IPv4 has the same address at a socket of IPv6`() throws {
    let listener = DescriptorBox(Descriptor(owning: socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)))
    try #require(SocketAddress(numeric: "[::]:0")).bind(listener.raw)
    #expect(Glibc.listen(listener.raw, 5) == 0)
    let port = try #require(Socket.localAddress(listener.raw).port)
    let one = try connect(from: "127.0.0.2:0", to: .loopback(port: port))
    let other = try connect(from: "[::1]:0", to: .loopbackV6(port: port))
    let (place, _) = try QueuePlace.of(listener.raw)
    let expected = Set(["127.0.0.2:0", "[::1]:0"].compactMap { HostAddress(of: $0) })
    #expect(try Set(place.peers(space: nil)) == expected)
    withExtendedLifetime((one, other)) {}
  }

  @Test func `what waits for another address of the port is left out`() throws {
    let listener = try Socket.listen(.loopback())
    let port = try #require(Socket.localAddress(listener.raw).port)
    let other = try Socket.listen(try #require(SocketAddress(numeric: "127.0.0.9:\(port)")))
    let peer = try connect(from: "127.0.0.2:0", to: Socket.localAddress(other.raw))
    #expect(try ListeningQueue(of: other.raw).length == 1)
    #expect(try peers(of: listener.raw) == [])
    withExtendedLifetime(peer) {}
  }

  @Test func `what is no TCP socket has no queue`() throws {
    let (unix, _) = try UnixSocket.pair()
    #expect(throws: SystemError.self) { try ListeningQueue(of: unix.raw) }
    #expect(throws: SystemError.self) { try QueuePlace.of(unix.raw) }
  }
}
