import LullSystem
import TestSupport
import Testing

/// Carries datagrams between a known peer and a caller, and loses every tenth of the caller's.
final class LossyRelay {
  let port: UInt16
  private let socket: DescriptorBox
  private let called: SocketAddress
  private var caller: SocketAddress?
  private(set) var count = 0

  init(to called: UInt16) throws {
    socket = DescriptorBox(try Socket.bindDatagram(.loopback()))
    port = try #require(try Socket.localAddress(socket.raw).port)
    self.called = .loopback(port: called)
  }

  /// Runs until the condition holds, which is checked after every datagram and every tenth of a second.
  func run(until condition: () throws -> Bool) throws {
    let deadline = Deadline()
    var buffer = ReceiveBuffer(capacity: 2048)
    while try !condition() {
      try #require(!deadline.isOver, "the call did not end")
      _ = try Socket.poll(socket.raw, .readable, timeoutMilliseconds: 100)
      while let sender = try Socket.readDatagram(socket.raw, into: &buffer) {
        try carry(Array(buffer.received), from: sender)
      }
    }
  }

  private func carry(_ datagram: [UInt8], from sender: SocketAddress) throws {
    if sender == called {
      if let caller { try Socket.sendDatagram(socket.raw, datagram, to: caller) }
    } else {
      caller = sender
      count += 1
      if count % 10 != 7 { try Socket.sendDatagram(socket.raw, datagram, to: called) }
    }
  }
}
