import LullSystem
import TestSupport
import Testing

/// A TCP server in the test itself.
final class Server {
  private let listener: DescriptorBox
  let port: UInt16

  /// `receiveBuffer` bounds the bytes that an unread connection takes.
  init(port: UInt16 = 0, receiveBuffer: Int32? = nil) throws {
    listener = DescriptorBox(try Socket.listen(.loopback(port: port)))
    if let receiveBuffer { try Kernel.setReceiveBuffer(listener, receiveBuffer) }
    self.port = try #require(try Socket.localAddress(listener.raw).port)
  }

  /// Waits for the next connection.
  func accept() throws -> Channel {
    try Deadline().wait(listener.raw, .readable, for: "a connection to port \(port)")
    switch try Socket.accept(from: listener.raw) {
    case .some(let descriptor):
      return Channel(DescriptorBox(descriptor), name: "the connection to port \(port)")
    case .none: throw NothingCame(description: "the connection to port \(port) was given up")
    }
  }
}
