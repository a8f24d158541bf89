import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import Lull

/// What a program gets of its last life (docs/KEPT-LINES.md).
@Suite(.bounded) struct RestoredLineTests {
  private let it: Managed
  private let client: DescriptorBox
  private let server: DescriptorBox

  init() throws {
    it = try Managed()
    (client, server) = try tcpPair()
  }

  private func restored(
    _ box: DescriptorBox, name: String? = "server", purpose: LinePurpose? = .voip, state: [UInt8] = []
  ) -> RestoredLine {
    let record = KeptLine(
      id: LineID(7), program: "phone", name: name, purpose: purpose, offload: .line, state: state)
    return RestoredLine(record, box, of: it.application)
  }

  private func expectTaken(_ line: RestoredLine) {
    #expect(line.descriptor == nil && line.hasEnded)
    let taken = LullError.refused("the line was taken or released before")
    #expect(throws: taken) { try line.hold() }
    #expect(throws: taken) { try line.stream { _, _ in } }
    line.release()
  }

  @Test func `A connection is taken as a stream that is open, with what waits in it, and its state`() throws {
    #expect(try Socket.write(server.raw, Array("ping\n".utf8)) == .sent(5))
    let line = restored(client, state: [1, 2])
    it.application.restore([line])
    #expect(it.application.restoredLines.map(\.name) == ["server"])
    #expect(line.kind == "tcp" && line.state == [1, 2] && !line.hasEnded)
    #expect(line.peer == "\(try Socket.localAddress(server.raw))")
    var events: [VoIPStream.Event] = []
    var text: [UInt8] = []
    let stream = try line.stream { stream, event in
      events.append(event)
      if event == .hasBytesAvailable { text += stream.read() }
    }
    #expect(stream.status == .open)
    try it.until { text.count == 5 }
    #expect(text == Array("ping\n".utf8) && !events.contains(.openCompleted))
    #expect(stream.write("pong\n"))
    #expect(try read(server, count: 5) == Array("pong\n".utf8))
    let requests = it.daemon.requests
    #expect(requests.count == 2 && requests[0].hasPrefix("hold ") && requests[1].hasPrefix("line-state "))
    #expect(requests[0].fields["name"] == "server" && requests[0].fields["offload"] != nil)
    expectTaken(line)
  }

  @Test func `Any other line is held under the program's own number, and is no stream`() throws {
    let (own, other) = try UnixSocket.pair()
    let number = own.raw
    let restored = restored(own, purpose: .accessory)
    #expect(restored.kind == "unix" && restored.descriptor == number)
    #expect(throws: LullError.self) { try restored.stream { _, _ in } }
    var count = 0
    let line = try restored.hold {
      count += 1
      var buffer = ReceiveBuffer(capacity: 16)
      _ = try? Socket.read(number, into: &buffer)
    }
    #expect(try Socket.write(other.raw, [1]) == .sent(1))
    try it.until { count == 1 }
    #expect(it.daemon.requests.last?.fields["type"] == "accessory")
    expectTaken(restored)
    line.release()
    // It is the program's to close.
    let box = DescriptorBox(Descriptor(owning: number))
    box.close()
    try ready(other.raw, .readHangUp)
  }

  @Test func `What is not wanted is let go of at the daemon, and its peer notices`() throws {
    let line = restored(client)
    line.release()
    #expect(try it.requests(2).map { $0.prefix { $0 != " " } } == ["hold", "release"])
    #expect(try read(server, count: 1).isEmpty)
    expectTaken(line)
  }

  @Test func `A refusal of the daemon leaves the line to be taken later`() throws {
    let line = restored(client)
    it.daemon.answer { $0.hasPrefix("hold") ? "error code=too-many-lines message=full" : nil }
    #expect(throws: LullError.self) { try line.stream { _, _ in } }
    #expect(throws: LullError.self) { try line.hold() }
    #expect(line.descriptor != nil)
    it.daemon.answer { _ in nil }
    #expect(try line.stream { _, _ in }.status == .open)
  }

  @Test func `A line whose peer has gone says so, and is read to its end`() throws {
    #expect(try Socket.write(server.raw, [9]) == .sent(1))
    server.close()
    let line = restored(client)
    try ready(client.raw, .readHangUp)
    #expect(line.hasEnded)
    var events: [VoIPStream.Event] = []
    _ = try line.stream { stream, event in
      events.append(event)
      if event == .hasBytesAvailable { #expect(stream.read() == [9]) }
    }
    try it.until { events.last == .endEncountered }
    #expect(events.filter { $0 != .hasSpaceAvailable } == [.hasBytesAvailable, .endEncountered])
  }

  @Test func `What is not taken within 60 s is closed`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    let (client, server) = try tcpPair()
    let record = KeptLine(id: LineID(7), program: "phone")
    it.application.restore([RestoredLine(record, client, of: it.application)])
    try it.advance(59.9)
    #expect(try readyNow(server.raw, .readHangUp).isEmpty && it.application.restoredLines.count == 1)
    try it.advance(0.2)
    #expect(try read(server, count: 1).isEmpty)
    #expect(it.application.restoredLines.isEmpty)
  }
}
