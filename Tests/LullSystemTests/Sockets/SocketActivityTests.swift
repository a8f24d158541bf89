import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SocketActivityTests {
  @Test func `what was sent last and what came last are told`() throws {
    let pair = try tcpPair()
    _ = try ready(pair.client.raw, .writable)
    // The kernel counts in milliseconds: only events that lie further apart can be told apart.
    try awaitNanoseconds(60_000_000)
    let before = try Socket.tcpActivity(pair.client.raw)
    #expect(before.isEstablished)
    #expect(before.sinceSent >= 50_000_000 && before.sinceReceived >= 50_000_000)
    #expect(try Socket.write(pair.client.raw, [1]) == .sent(1))
    _ = try ready(pair.server.raw, .readable)
    let client = try Socket.tcpActivity(pair.client.raw)
    let server = try Socket.tcpActivity(pair.server.raw)
    #expect(client.sinceSent < client.sinceReceived && server.sinceReceived < server.sinceSent)
    #expect(!before.hasSent && client.hasSent && !server.hasSent)
    #expect(server.received == before.received + 1 && client.received == before.received)
  }

  @Test func `a connection that is being made, and a listener, are not established`() throws {
    let listener = try Socket.listen(.loopback(), backlog: 0)
    let address = try Socket.localAddress(listener.raw)
    // A queue of one connection takes one or two; the next one's first packet is dropped.
    let clients = try (0..<4).map { _ in DescriptorBox(try Socket.connectNonBlocking(address)) }
    let last = try Socket.tcpActivity(clients[3].raw)
    #expect(!last.isEstablished)
    let listening = try Socket.tcpActivity(listener.raw)
    #expect(!listening.isEstablished)
  }

  @Test func `half a connection is not established, and what is no TCP socket is an error`() throws {
    let pair = try tcpPair()
    pair.server.close()
    _ = try ready(pair.client.raw, .readable)
    #expect(try !Socket.tcpActivity(pair.client.raw).isEstablished)
    let datagram = try Socket.bindDatagram(.loopback())
    #expect(throws: SystemError.self) { try Socket.tcpActivity(datagram.raw) }
    let (unix, _) = try UnixSocket.pair()
    #expect(throws: SystemError.self) { try Socket.tcpActivity(unix.raw) }
  }

  @Test(arguments: [SocketAddress.loopback(), .loopbackV6()])
  func `the sender of a waiting datagram is told, and the datagram stays`(address: SocketAddress) throws {
    let receiver = try Socket.bindDatagram(address)
    #expect(Socket.peekSender(receiver.raw) == nil)
    let sender = try Socket.connectDatagram(Socket.localAddress(receiver.raw))
    #expect(try Socket.write(sender.raw, [1, 2, 3]) == .sent(3))
    _ = try ready(receiver.raw, .readable)
    let own = try Socket.localAddress(sender.raw)
    #expect(Socket.peekSender(receiver.raw) == own)
    #expect(Socket.peekSender(receiver.raw) == own)
    var buffer = ReceiveBuffer(capacity: 16)
    #expect(try Socket.readDatagram(receiver.raw, into: &buffer) == own)
    #expect(buffer.received == [1, 2, 3])
  }

  @Test func `what has no sender's address has none`() throws {
    let pair = try tcpPair()
    #expect(try Socket.write(pair.client.raw, [1]) == .sent(1))
    _ = try ready(pair.server.raw, .readable)
    #expect(Socket.peekSender(pair.server.raw) == nil)
    let event = try EventDescriptor()
    #expect(Socket.peekSender(event.raw) == nil)
  }

  @Test func `the probes of a connection are told`() throws {
    let pair = try tcpPair()
    #expect(Socket.keepAliveIdle(pair.client.raw) == nil)
    try Socket.setKeepAlive(pair.client.raw, idleSeconds: 120)
    #expect(Socket.keepAliveIdle(pair.client.raw) == 120)
    let event = try EventDescriptor()
    #expect(Socket.keepAliveIdle(event.raw) == nil)
  }
}

/// Lets time pass that the kernel is to count: there is no event for it but a timer's.
private func awaitNanoseconds(_ count: Int64) throws {
  let timer = try Timer(.boottime)
  try timer.arm(at: Clock.boottime() + count)
  _ = try ready(timer.raw, .readable)
}
