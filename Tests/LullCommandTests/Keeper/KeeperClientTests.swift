import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@testable import lull_command

@Suite(.bounded) struct KeeperClientTests {
  private let reactor: Reactor<Keeper.Source>
  private let client: KeeperClient
  private let peer: MessageChannel

  init() throws {
    reactor = try Reactor(capacity: 4)
    let (here, there) = try UnixSocket.pair()
    client = KeeperClient(try Descriptor.duplicating(here.raw))
    peer = MessageChannel(there, overload: .dropPeer)
    here.close()
  }

  private func told() throws -> KeeperMessage? {
    var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
    guard case .bytes = peer.receive(into: &buffer), case .message(let message, _)? = peer.next() else {
      return nil
    }
    return try KeeperMessage.parse(message)
  }

  /// Joins, and sends more than the socket has room for.
  private func joinStuck() throws -> DescriptorBox {
    let stream = try client.join(reactor)
    while client.stalled.isEmpty { #expect(client.send([UInt8](repeating: 1, count: 1 << 15)[...])) }
    return stream
  }

  @Test func `one for whom nothing waits is told the end at once`() throws {
    let stream = try client.join(reactor)
    #expect(client.stalled.isEmpty)
    #expect(client.finish(.exited(3)))
    #expect(client.stalled.isEmpty)
    #expect(try told() == .ended(.exited(3)))
    stream.close()
  }

  @Test func `the end is told behind the last output`() throws {
    let stream = try joinStuck()
    #expect(!client.finish(.exited(0)))
    #expect(client.stalled.map(\.raw) == [client.stream?.raw])
    #expect(try told() == nil)
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    repeat {
      while case .bytes = try Socket.read(stream.raw, into: &buffer) {}
    } while !client.finish(.exited(0))
    #expect(try told() == .ended(.exited(0)))
    #expect(try told() == nil)
  }

  @Test func `one who is gone is waited for no more`() throws {
    let stream = try joinStuck()
    stream.close()
    #expect(client.finish(.exited(0)))
  }
}
