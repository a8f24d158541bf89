import Glibc
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct UnixSocketTests {
  @Test func `bytes and a descriptor travel from client to server`() throws {
    let (directory, listener) = try listening()
    #expect(try readyNow(listener.raw, .readable) == [])
    let client = try UnixSocket.connect(path: "\(directory.path)/control")
    let server = try box(Socket.accept(from: listener.raw))
    let counter = try EventDescriptor()
    #expect(try UnixSocket.send([1, 2, 3].span, descriptor: counter.raw, to: client.raw) == .sent(3))
    var buffer = ReceiveBuffer(capacity: 16)
    guard case .bytes(3, let descriptor?) = try UnixSocket.receive(into: &buffer, from: server.raw) else {
      Issue.record("the descriptor did not come")
      return
    }
    #expect(Array(buffer.received) == [1, 2, 3])
    #expect(fcntl(descriptor.raw, F_GETFD) == FD_CLOEXEC)
    try counter.signal()
    #expect(try readyNow(descriptor.raw, .readable) == .readable)
  }

  @Test func `accept and receive do not wait`() throws {
    let (directory, listener) = try listening()
    switch try Socket.accept(from: listener.raw) {
    case .some: Issue.record("nobody had connected")
    case .none: break
    }
    let client = try UnixSocket.connect(path: "\(directory.path)/control")
    let server = try box(Socket.accept(from: listener.raw))
    var buffer = ReceiveBuffer(capacity: 16)
    for raw in [client.raw, server.raw] {
      guard case .wouldBlock = try UnixSocket.receive(into: &buffer, from: raw) else {
        Issue.record("nothing had been sent")
        return
      }
    }
    #expect(fcntl(server.raw, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(server.raw, F_GETFD) == FD_CLOEXEC)
  }

  @Test func `a full connection says so, and a closed one too, without a signal`() throws {
    let (here, there) = try UnixSocket.pair()
    let bytes = [UInt8](repeating: 7, count: 100_000)
    var sent = 0
    while case .sent(let count) = try UnixSocket.send(bytes, to: here.raw) { sent += count }
    #expect(sent >= 100_000)
    #expect(try UnixSocket.send([1], to: here.raw) == .wouldBlock)
    there.close()
    try eventually("the close was not seen") { try readyNow(here.raw, .readable).contains(.hangUp) }
    #expect(try UnixSocket.send([1], to: here.raw) == .closed)
  }

  @Test(arguments: [false, true])
  func `the end of the stream is told, also of a peer that left bytes unread`(hasUnread: Bool) throws {
    let (here, there) = try UnixSocket.pair()
    if hasUnread { #expect(try UnixSocket.send([1], to: here.raw) == .sent(1)) }
    there.close()
    _ = try ready(here.raw, .readable)
    var buffer = ReceiveBuffer(capacity: 16)
    guard case .endOfStream = try UnixSocket.receive(into: &buffer, from: here.raw) else {
      Issue.record("the end was not seen")
      return
    }
  }

  @Test func `the socket's file is its owner's only`() throws {
    let (directory, _) = try listening()
    var status = stat()
    #expect(unsafe lstat("\(directory.path)/control", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFSOCK && status.st_mode & 0o777 == 0o600)
  }

  @Test func `the peer's process and user are the kernel's`() throws {
    let (directory, listener) = try listening()
    let client = try UnixSocket.connect(path: "\(directory.path)/control")
    let server = try box(Socket.accept(from: listener.raw))
    let peer = try UnixSocket.peer(of: server.raw)
    #expect(peer.pid == getpid())
    #expect(peer.uid == geteuid())
    _ = client.raw
  }

  @Test func `a path in use, a missing one and one that is too long are told apart`() throws {
    let (directory, _) = try listening()
    let used = #expect(throws: SystemError.self) {
      _ = try UnixSocket.listen(path: "\(directory.path)/control").raw
    }
    #expect(used?.code == EADDRINUSE)
    try eventually("a stale file did not refuse") {
      do throws(SystemError) {
        _ = try UnixSocket.connect(path: "\(directory.path)/control").raw
        return false
      } catch {
        return error.isConnectionRefused
      }
    }
    let missing = #expect(throws: SystemError.self) {
      _ = try UnixSocket.connect(path: "\(directory.path)/nothing").raw
    }
    #expect(missing?.isNoSuchFile == true)
    let long = #expect(throws: SystemError.self) {
      _ = try UnixSocket.listen(path: "/" + String(repeating: "x", count: 107)).raw
    }
    #expect(long?.code == ENAMETOOLONG)
  }
}

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

/// A listening socket `control` in a directory of its own.
private func listening() throws -> (TemporaryDirectory, DescriptorBox) {
  let directory = try TemporaryDirectory()
  return (directory, DescriptorBox(try UnixSocket.listen(path: "\(directory.path)/control")))
}
