import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct EmbeddedLineTests {
  @Test func `A stream opens, can be written, and its program sleeps`() throws {
    let it = try Embedded()
    let server = try Server()
    var events: [VoIPStream.Event] = []
    let stream = try VoIPStream(host: "127.0.0.1", port: server.port, application: it.application) {
      stream, event in
      events.append(event)
      if event == .hasSpaceAvailable { stream.write("ping\n") }
      stream.owner.finishedHandlingWake()
    }
    #expect(stream.status == .opening)
    #expect(events.isEmpty)
    let peer = try server.accept()
    try it.until { it.application.applicationState == .suspended }
    #expect(events == [.openCompleted, .hasSpaceAvailable])
    #expect(stream.status == .open)
    #expect(try read(peer, count: 5) == Array("ping\n".utf8))
  }

  @Test func `Bytes wake the program, and the reason comes before them`() throws {
    let it = try Embedded()
    let server = try Server()
    let peer = try it.asleep(server)
    try peer.send("notify\n")
    try it.until { it.recorder.events.count == 3 }
    #expect(it.recorder.events == ["didWake data", "hasBytesAvailable", "notify\n"])
    try it.settle()
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `A peer that finishes wakes the program`() throws {
    let it = try Embedded()
    let server = try Server()
    let peer = try it.asleep(server)
    peer.descriptor.close()
    try it.until { it.recorder.events.count == 2 }
    #expect(it.recorder.events == ["didWake closed", "endEncountered"])
    #expect(peer.stream.status == .closed)
    #expect(it.application.lines.isEmpty)
    #expect(!peer.stream.write("late"))
  }

  @Test func `The last bytes come before the end`() throws {
    let it = try Embedded()
    let server = try Server()
    let peer = try it.asleep(server)
    try peer.send("bye\n")
    peer.descriptor.close()
    try it.until { peer.stream.status == .closed }
    #expect(
      it.recorder.events == [
        "didWake data", "hasBytesAvailable", "bye\n", "didWake closed", "endEncountered",
      ])
  }

  @Test func `What the connection does not take at once is sent in order before the program sleeps`() throws {
    let it = try Embedded()
    let server = try Server()
    let peer = try it.asleep(server)
    let block = (0..<80_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    for _ in 0..<100 { bytes += block }
    it.application.requestForeground()
    it.application.enterBackground()
    try it.settle()
    try peer.send("go\n")
    it.recorder.on["hasBytesAvailable"] = { _ in peer.stream.write(bytes) }
    try it.until { it.recorder.events.contains("go\n") }
    try it.settle()
    #expect(peer.stream.unsentBytes > 0)
    #expect(it.application.applicationState == .background)
    var received: [UInt8] = []
    while received.count < bytes.count {
      try it.settle()
      received += try read(peer.descriptor, count: min(65_536, bytes.count - received.count))
    }
    #expect(received == bytes)
    try it.until { it.application.applicationState == .suspended }
    #expect(it.recorder.events.last == "hasSpaceAvailable")
  }

  @Test func `A refused connection is told with the kernel's words, after every address was tried`() throws {
    let it = try Embedded(launch: .foreground)
    let port = try Server().port
    var events: [VoIPStream.Event] = []
    let stream = try VoIPStream(host: "127.0.0.1", port: port, application: it.application) {
      events.append($1)
    }
    try it.until { !events.isEmpty }
    #expect(
      events == [.errorOccurred(.system(code: 111, "connect to 127.0.0.1:\(port): Connection refused"))])
    #expect(stream.status == .closed)
  }

  @Test func `A name that cannot be resolved is told in the loop`() throws {
    let it = try Embedded(launch: .foreground)
    var events: [VoIPStream.Event] = []
    let stream = try VoIPStream(host: "a..b", port: 1, application: it.application) { events.append($1) }
    #expect(events.isEmpty)
    try it.until { stream.status == .closed }
    #expect(events == [.errorOccurred(.unknownHost("a..b: Name or service not known"))])
  }

  @Test func `A closed stream tells nothing any more`() throws {
    let it = try Embedded()
    let server = try Server()
    let peer = try it.asleep(server)
    peer.stream.close()
    peer.stream.close()
    try it.settle()
    #expect(it.recorder.events.isEmpty)
    #expect(it.application.lines.isEmpty)
    #expect(try read(peer.descriptor, count: 1).isEmpty)
  }

  @Test func `A held descriptor with a handler wakes the program and is handled in its loop`() throws {
    let it = try Embedded()
    let (ours, theirs) = try UnixSocket.pair()
    var seen: [String] = []
    let line = try it.application.hold(ours.raw, as: .accessory) {
      [application = it.application] in
      seen.append(String(decoding: (try? read(ours, count: 1)) ?? [], as: UTF8.self))
      application.finishedHandlingWake()
    }
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    #expect(try Socket.write(theirs.raw, Array("beat".utf8)) == .sent(4))
    try it.until { !seen.isEmpty }
    #expect(seen == ["beat"])
    #expect(it.recorder.events.last == "didWake accessory")
    line.release()
    #expect(!line.isHeld)
    #expect(it.application.lines.isEmpty)
  }

  @Test func `A word given before the bytes came does not send a foreign line's bytes to sleep`() throws {
    let it = try Embedded()
    let (ours, theirs) = try UnixSocket.pair()
    _ = try it.application.hold(ours.raw)
    it.application.finishedHandlingWake()
    try it.settle()
    // The wake is old, the program's word is new: the program finishes other work while the bytes arrive.
    it.recorder.on["didWake data"] = { $0.finishedHandlingWake() }
    #expect(try Socket.write(theirs.raw, Array("beat".utf8)) == .sent(4))
    try it.until { it.recorder.events.last == "didWake data" }
    try it.settle()
    #expect(it.application.applicationState == .background)
    #expect(try read(ours, count: 4) == Array("beat".utf8))
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `A connection to accept wakes the program`() throws {
    let it = try Embedded()
    let server = try Server()
    _ = try it.application.hold(server.listener.raw)
    it.application.finishedHandlingWake()
    try it.settle()
    let client = try Socket.connectNonBlocking(.loopback(port: server.port))
    try it.until { it.recorder.events.last == "didWake accept" }
    _ = consume client
  }

  @Test func `What cannot be watched is refused`() throws {
    let it = try Embedded()
    let directory = try Files.openDirectory("/")
    #expect(throws: LullError.notPollable("descriptor \(directory.raw) cannot be watched")) {
      try it.application.hold(directory.raw)
    }
    #expect(throws: LullError.self) { try it.application.hold(9999) }
    let (ours, _) = try UnixSocket.pair()
    let silent = try Embedded(modes: [.audio])
    #expect(throws: LullError.wrongMode("the program did not declare the mode voip")) {
      try silent.application.hold(ours.raw)
    }
  }

  @Test func `A watched descriptor that is not held is handled in the loop`() throws {
    let it = try Embedded(launch: .foreground)
    let (ours, theirs) = try UnixSocket.pair()
    var seen = 0
    let watch = try it.application.watch(ours.raw) {
      seen += 1
      _ = try? read(ours, count: 1)
    }
    #expect(try Socket.write(theirs.raw, [1]) == .sent(1))
    try it.until { seen == 1 }
    watch.cancel()
    watch.cancel()
    #expect(try Socket.write(theirs.raw, [1]) == .sent(1))
    try it.settle()
    #expect(seen == 1)
  }
}
