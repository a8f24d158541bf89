import TestSupport
import Testing

@testable import LullSystem

/// Sockets whose names are no files.
@Suite(.bounded) struct AbstractSocketTests {
  @Test func `a datagram with a descriptor reaches a name in the abstract namespace`() throws {
    let address = try SocketAddress(abstractName: "lull-test-\(Identity.pid())")
    #expect(throws: SystemError.self) { _ = try UnixSocket.datagrams(to: address).raw }
    let receiver = try UnixSocket.datagrams()
    try address.bind(receiver.raw)
    let sender = try UnixSocket.datagrams(to: address)
    let event = try EventDescriptor()
    #expect(try UnixSocket.send([1, 2], descriptor: event.raw, to: sender.raw) == .sent(2))
    var buffer = ReceiveBuffer(capacity: 16)
    guard case .bytes(2, _?) = try UnixSocket.receive(into: &buffer, from: receiver.raw) else {
      Issue.record("the datagram did not come with its descriptor")
      return
    }
  }

  @Test func `a name that the kernel does not take is refused`() {
    #expect(throws: SystemError.self) { try SocketAddress(abstractName: "") }
    #expect(throws: SystemError.self) {
      try SocketAddress(abstractName: String(repeating: "x", count: 108))
    }
  }
}
