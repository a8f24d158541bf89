import Glibc
import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@Suite(.bounded) struct PhoneProcessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func serve() throws -> (DescriptorBox, port: UInt16) {
    let listener = try Socket.listen(.loopback())
    let port = try #require(try Socket.localAddress(listener.raw).port)
    return (DescriptorBox(listener), port)
  }

  private func accept(_ listener: DescriptorBox) throws -> DescriptorBox {
    try ready(listener.raw, .readable)
    switch try Socket.accept(from: listener.raw) {
    case .some(let connection): return DescriptorBox(connection)
    case .none: throw SystemError.timedOut("accept")
    }
  }

  private func expect(_ text: String, from peer: DescriptorBox) throws {
    var buffer = ReceiveBuffer(capacity: 4096)
    var received = ""
    while received.utf8.count < text.utf8.count {
      try ready(peer.raw, .readable)
      guard case .bytes = try Socket.read(peer.raw, into: &buffer) else { break }
      received += String(decoding: buffer.received, as: UTF8.self)
    }
    #expect(received == text)
  }

  @Test func `Each event is printed, and the signal to end closes the connection`() throws {
    let (listener, port) = try serve()
    let phone = try PhoneProcess(["127.0.0.1:\(port)", "--embedded"])
    let peer = try accept(listener)
    #expect(try phone.lines(2) == ["Connection Opened", "Ping sent"])
    try expect("ping\n", from: peer)
    #expect(try Socket.write(peer.raw, Array("ping\nnot".utf8)) == .sent(8))
    #expect(try phone.lines(2) == ["Received: ping", "Pong sent"])
    try expect("pong\n", from: peer)
    #expect(try Socket.write(peer.raw, Array("ify\n".utf8)) == .sent(4))
    #expect(try phone.lines(2) == ["Received: notify", "Notification: New VOIP call (Answer)"])
    try phone.send(Signal.terminate)
    #expect(try phone.line() == "Connection Closed")
    #expect(try phone.status() == .exited(0))
    var buffer = ReceiveBuffer(capacity: 1)
    try ready(peer.raw, .readable)
    #expect(try Socket.read(peer.raw, into: &buffer) == .endOfStream)
  }

  @Test func `Where it may be asleep, a signal ends it at once`() throws {
    let (listener, port) = try serve()
    let (phone, daemon, peer) = try asleep(listener, port)
    // The bytes are handled before the notice of the wake arrives.
    #expect(try Socket.write(peer.raw, Array("ping\n".utf8)) == .sent(5))
    try expect("pong\n", from: peer)
    try daemon.send("event wake ticket=9 reason=data line=1")
    try daemon.wait(for: "done")
    try phone.send(Signal.terminate)
    #expect(try phone.status() == .signaled(Signal.terminate))
  }

  /// A phone under a daemon, asleep on its open connection.
  private func asleep(_ listener: DescriptorBox, _ port: UInt16) throws
    -> (PhoneProcess, FakeDaemon, DescriptorBox)
  {
    let daemon = try FakeDaemon(path: folder.path + "/control") {
      $0.hasPrefix("hold") ? "ok line=1" : nil
    }
    let phone = try PhoneProcess(["127.0.0.1:\(port)"], runtimeDirectory: folder.path)
    try daemon.wait(for: "register")
    try daemon.send("event deliver message=didFinishLaunching ticket=2")
    try daemon.wait(for: "did")
    let peer = try accept(listener)
    try daemon.wait(for: "done")
    try expect("ping\n", from: peer)
    return (phone, daemon, peer)
  }

  @Test(arguments: ["network", "resumed"])
  func `When the network has changed, a connection without an answer is made again`(reason: String) throws {
    let (listener, port) = try serve()
    let (phone, daemon, peer) = try asleep(listener, port)
    try daemon.send("event wake ticket=9 reason=\(reason)")
    try expect("ping\n", from: peer)
    try daemon.wait(for: "begin-task")
    let again = try accept(listener)
    try daemon.wait(for: "done")
    try expect("ping\n", from: again)
    #expect(try !phone.hasEnded)
  }

  @Test func `A lost connection is made again`() throws {
    let (listener, port) = try serve()
    let phone = try PhoneProcess(["127.0.0.1", "\(port)", "--embedded", "--foreground"])
    let peer = try accept(listener)
    try expect("ping\n", from: peer)
    #expect(try phone.lines(2) == ["Connection Opened", "Ping sent"])
    peer.close()
    #expect(try phone.lines(2) == ["Connection Closed", "Reconnecting in 1 s"])
    let again = try accept(listener)
    try expect("ping\n", from: again)
    #expect(try phone.lines(2) == ["Connection Opened", "Ping sent"])
    try phone.send(Signal.interrupt)
    #expect(try phone.status() == .exited(0))
  }

  @Test func `Without reconnecting a refused connection is a failure`() throws {
    let (listener, port) = try serve()
    listener.close()
    let phone = try PhoneProcess(["127.0.0.1:\(port)", "--embedded", "--no-reconnect"])
    #expect(try phone.line() == "Had error: connect to 127.0.0.1:\(port): Connection refused")
    #expect(try phone.status() == .exited(1))
  }

  @Test(arguments: [
    (["127.0.0.1:1", "--keep-alive", "599"], "lull-phone: --keep-alive 599: at least 600 seconds"),
    (["nowhere"], "lull-phone: nowhere: expected HOST PORT or HOST:PORT"),
    ([], "lull-phone: no server is named: give HOST PORT or HOST:PORT"),
    (["--bogus"], "Error: Unknown option '--bogus'"),
    (
      ["127.0.0.1:1", "--name", "a b"],
      "lull-phone: --name a b: use letters, digits, '.', '_' and '-'"
    ),
  ])
  func `Wrong usage is one line and status 64`(_ arguments: [String], _ text: String) throws {
    let phone = try PhoneProcess(arguments)
    #expect(try phone.status() == .exited(64))
    #expect(try phone.line() == text)
  }
}
