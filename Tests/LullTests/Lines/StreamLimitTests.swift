import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct StreamLimitTests {
  /// A stream with an output limit of 1,000 bytes, its server, and what it told.
  private struct Bounded {
    let it: Embedded
    let stream: VoIPStream
    let peer: DescriptorBox
    let told: Seen<VoIPStream.Event>

    init() throws {
      it = try Embedded(launch: .foreground)
      let told = Seen<VoIPStream.Event>()
      self.told = told
      let server = try Server()
      stream = try VoIPStream(
        host: "127.0.0.1", port: server.port, application: it.application, outputLimit: 1000
      ) { told.add($1) }
      peer = try server.accept()
    }
  }

  @Test func `More bytes than may wait end the stream with an error, and none are left out`() throws {
    let it = try Bounded()
    #expect(it.stream.write([UInt8](repeating: 1, count: 600)))
    #expect(it.stream.unsentBytes == 600)
    #expect(!it.stream.write([UInt8](repeating: 2, count: 401)))
    #expect(!it.stream.write([3]))
    #expect(it.stream.status == .closed)
    #expect(it.stream.unsentBytes == 0)
    #expect(it.told.all.isEmpty)
    try it.it.until { !it.told.all.isEmpty }
    #expect(
      it.told.all == [
        .errorOccurred(
          .limitReached("more than 1000 bytes wait to be sent: the peer does not take them"))
      ])
    #expect(it.it.application.streams.isEmpty)
  }

  @Test func `A stream that is closed after its error tells nothing`() throws {
    let it = try Bounded()
    #expect(!it.stream.write([UInt8](repeating: 2, count: 1001)))
    it.stream.close()
    try it.it.settle()
    #expect(it.told.all.isEmpty)
  }

  @Test func `As many bytes as may wait are sent`() throws {
    let it = try Bounded()
    #expect(it.stream.write([UInt8](repeating: 1, count: 1000)))
    try it.it.until { it.stream.unsentBytes == 0 }
    #expect(it.stream.write([UInt8](repeating: 2, count: 1000)))
    #expect(try read(it.peer, count: 2000).count == 2000)
  }

  @Test func `A name is resolved beside the loop`() throws {
    let it = try Embedded(launch: .foreground)
    let server = try Server()
    let told = Seen<VoIPStream.Event>()
    let stream = try VoIPStream(host: "localhost", port: server.port, application: it.application) {
      told.add($1)
    }
    #expect(stream.status == .opening)
    #expect(it.application.lookups.count == 1)
    #expect(stream.write("early\n"))
    try it.until { told.all.contains(.openCompleted) }
    #expect(try read(try server.accept(), count: 6) == Array("early\n".utf8))
    #expect(it.application.lookups.isEmpty)
    #expect(!stream.addresses.isEmpty)
  }

  @Test func `A stream that is closed while its name is resolved tells nothing`() throws {
    let it = try Embedded(launch: .foreground)
    let stream = try VoIPStream(host: "localhost", port: 1, application: it.application) { _, event in
      Issue.record("\(event)")
    }
    stream.close()
    #expect(stream.status == .closed)
    try it.until { it.application.lookups.isEmpty }
    try it.settle()
  }

  @Test func `At most 16 names are looked up at once`() throws {
    let it = try Embedded(launch: .foreground)
    let told = Seen<VoIPStream.Event>()
    let streams = try (0..<17).map { _ in
      try VoIPStream(host: "localhost", port: 1, application: it.application) { told.add($1) }
    }
    #expect(it.application.lookups.count == 16)
    #expect(streams[16].status == .closed)
    try it.until { told.all.count == 17 }
    #expect(told.all.count { if case .errorOccurred(.limitReached) = $0 { true } else { false } } == 1)
  }

  @Test func `A paused stream reads on where it stood, and its end does not spin`() throws {
    let it = try Embedded(launch: .foreground)
    let server = try Server()
    let told = Seen<VoIPStream.Event>()
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: it.application) {
      stream, event in
      told.add(event)
      if event == .hasBytesAvailable { _ = stream.read() }
    }
    let peer = try server.accept()
    try it.until { stream.status == .open }
    stream.isReadingPaused = true
    #expect(try Socket.write(peer.raw, [1, 2, 3]) == .sent(3))
    // A peer that closes with bytes unread breaks the connection.
    stream.write("unread")
    try ready(peer.raw, .readable)
    peer.close()
    try it.settle()
    #expect(told.all == [.openCompleted, .hasSpaceAvailable])
    stream.isReadingPaused = false
    try it.until { stream.status == .closed }
  }
}
