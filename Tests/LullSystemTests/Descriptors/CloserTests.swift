import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct CloserTests {
  @Test func `a connection that lingers is closed beside the caller, and its peer gets everything`() throws {
    let pair = try tcpPair()
    var option = linger(l_onoff: 1, l_linger: 300)
    let size = socklen_t(MemoryLayout<linger>.size)
    let isSet = unsafe setsockopt(pair.client.raw, SOL_SOCKET, SO_LINGER, &option, size)
    try #require(isSet == 0)
    var sent = 0
    while case .sent(let count) = try Socket.write(pair.client.raw, [UInt8](repeating: 1, count: 65_536)) {
      sent += count
    }
    pair.client.closer = Closer()
    pair.client.close()
    var buffer = ReceiveBuffer(capacity: 65_536)
    var got = 0
    while !(try Socket.poll(pair.server.raw, .readable, timeoutMilliseconds: 5000)).isEmpty {
      guard case .bytes(let count) = try Socket.read(pair.server.raw, into: &buffer) else { break }
      got += count
    }
    #expect(got == sent)
  }

  @Test func `what cannot wait is closed at once`() throws {
    let (one, other) = try UnixSocket.pair()
    one.closer = Closer()
    one.close()
    #expect(!one.isOpen)
    #expect(try Socket.poll(other.raw, .readable, timeoutMilliseconds: 0).contains(.hangUp))
  }
}
