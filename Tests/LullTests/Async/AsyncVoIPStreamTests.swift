import Lull
import LullAsync
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct AsyncVoIPStreamTests {
  /// An application in a thread of its own, which the test reaches through its mailbox.
  private static func started() async throws -> Mailbox {
    try await withCheckedThrowingContinuation { continuation in
      startThread {
        do {
          let application = try Application(name: "phone", modes: [.voip], host: .embedded)
          continuation.resume(returning: application.mailbox)
          application.run()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// A stream of such an application, connected to a server of the test.
  private struct Connected {
    let mailbox: Mailbox
    let stream: AsyncVoIPStream
    let peer: DescriptorBox

    init() async throws {
      let mailbox = try await AsyncVoIPStreamTests.started()
      let server = try Server()
      let port = server.port
      stream = try await mailbox.perform {
        try AsyncVoIPStream(host: "127.0.0.1", port: port, application: $0)
      }
      self.mailbox = mailbox
      peer = try server.accept()
      var events = stream.events.makeAsyncIterator()
      #expect(await events.next() == .openCompleted)
    }

    /// Reads bytes of the peer in a thread of its own: the tasks of the test need those of the pool.
    func received(_ count: Int) async throws -> Int {
      let raw = peer.raw
      return try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try Connected.read(raw, count: count) }) }
      }
    }

    private static func read(_ raw: Int32, count: Int) throws -> Int {
      var all = 0
      var buffer = ReceiveBuffer(capacity: 65_536)
      while all < count {
        try ready(raw, .readable)
        guard case .bytes = try Socket.read(raw, into: &buffer, atMost: count - all) else { continue }
        all += Array(buffer.received).count
      }
      return all
    }

    /// A task that has begun, so that the bound of what the test waits for next does not run before: a task
    /// gets a thread of the pool only after the tests beside this one that wait in theirs.
    static func begun(_ body: @escaping @Sendable () async throws -> Void) async -> Task<Void, any Error> {
      let (begun, beginning) = AsyncStream<Never>.makeStream()
      let task = Task {
        beginning.finish()
        try await body()
      }
      for await _ in begun {}
      return task
    }

    func send(_ text: String) throws {
      let bytes = Array(text.utf8)
      #expect(try Socket.write(peer.raw, bytes) == .sent(bytes.count))
    }
  }

  @Test func `Bytes come, are answered, and the end comes last`() async throws {
    let it = try await Connected()
    var texts: [String] = []
    try it.send("ping\n")
    for await event in it.stream.events {
      switch event {
      case .bytesReceived(let bytes):
        texts.append(String(decoding: bytes, as: UTF8.self))
        try await it.stream.send("pong\n")
        #expect(try read(it.peer, count: 5) == Array("pong\n".utf8))
        if texts.count == 1 { try it.send("again\n") } else { it.peer.close() }
      default: #expect(event == .endEncountered)
      }
    }
    #expect(texts == ["ping\n", "again\n"])
    it.mailbox.post { $0.leave() }
  }

  @MainActor @Test func `On the main actor it is the same`() async throws {
    let it = try await Connected()
    try it.send("ping\n")
    for await event in it.stream.events {
      #expect(event == .bytesReceived(Array("ping\n".utf8)))
      try await it.stream.send("pong\n")
      break
    }
    #expect(try read(it.peer, count: 5) == Array("pong\n".utf8))
    it.mailbox.post { $0.leave() }
  }

  @Test func `A send returns when the peer has taken enough`() async throws {
    let it = try await Connected()
    let bytes = [UInt8](repeating: 7, count: 12_000_000)
    let (stream, returned) = (it.stream, Seen<Int>())
    let sender = await Connected.begun {
      try await stream.send(bytes)
      returned.add(1)
    }
    var count = try await it.received(1)
    // The kernel's buffers hold a part of it: the rest still waits.
    #expect(returned.all.isEmpty)
    while count < bytes.count { count += try await it.received(min(1 << 20, bytes.count - count)) }
    try await sender.value
    #expect(returned.all == [1])
    it.mailbox.post { $0.leave() }
  }

  @Test func `More than may wait is refused, and ends the stream`() async throws {
    let it = try await Connected()
    let bytes = [UInt8](repeating: 7, count: VoIPStream.defaultOutputLimit + 1)
    await #expect(throws: LullError.self) { try await it.stream.send(bytes) }
    var last: AsyncVoIPStream.Event?
    for await event in it.stream.events { last = event }
    guard case .errorOccurred(.limitReached) = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    it.mailbox.post { $0.leave() }
  }

  @Test func `A peer is not read while nobody takes its bytes, and nothing is lost`() async throws {
    let it = try await Connected()
    let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var sent: [UInt8] = []
    // The buffers of the kernel fill up, because the stream holds at most two readings.
    while sent.count < 64 << 20 {
      guard case .sent(let count) = try Socket.write(it.peer.raw, block) else {
        guard try Socket.poll(it.peer.raw, .writable, timeoutMilliseconds: 200).isEmpty else { continue }
        break
      }
      sent += block[..<count]
    }
    try #require(sent.count < 64 << 20)
    var received: [UInt8] = []
    for await event in it.stream.events {
      guard case .bytesReceived(let bytes) = event else { break }
      received += bytes
      if received.count == sent.count { break }
    }
    #expect(received == sent)
    it.mailbox.post { $0.leave() }
  }

  @Test func `A task that is cancelled waits no longer`() async throws {
    let it = try await Connected()
    let stream = it.stream
    let waiting = Task { () -> Int in
      var count = 0
      for await _ in stream.events { count += 1 }
      return count
    }
    waiting.cancel()
    #expect(await waiting.value == 0)
    let sending = await Connected.begun { try await stream.send([UInt8](repeating: 7, count: 12_000_000)) }
    _ = try await it.received(1)
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
    it.mailbox.post { $0.leave() }
  }

  @Test func `The end of the application ends the events, the sends and what was asked for`() async throws {
    let it = try await Connected()
    let stream = it.stream
    let sending = await Connected.begun { try await stream.send([UInt8](repeating: 7, count: 12_000_000)) }
    _ = try await it.received(1)
    it.mailbox.post { $0.leave() }
    for await event in it.stream.events { Issue.record("\(event)") }
    await #expect(throws: LullError.refused("the stream is closed")) { try await sending.value }
    await #expect(throws: LullError.ended) { try await it.stream.send("late\n") }
    await #expect(throws: LullError.ended) { try await it.mailbox.perform { $0.name } }
  }

  @Test func `The stream is closed when nobody holds it any more`() async throws {
    let mailbox = try await Self.started()
    let server = try Server()
    let port = server.port
    var stream: AsyncVoIPStream? = try await mailbox.perform {
      try AsyncVoIPStream(host: "127.0.0.1", port: port, application: $0)
    }
    let peer = try server.accept()
    let events = try #require(stream).events
    stream = nil
    try #expect(readyNow(peer.raw, .readable).isEmpty)
    var first: AsyncVoIPStream.Event?
    for await event in consume events {
      first = event
      break
    }
    #expect(first == .openCompleted)
    #expect(try read(peer, count: 1).isEmpty)
    mailbox.post { $0.leave() }
  }

  @Test func `A stream to nobody tells the kernel's words`() async throws {
    let mailbox = try await Self.started()
    let port = try Server().port
    let stream = try await mailbox.perform {
      try AsyncVoIPStream(host: "127.0.0.1", port: port, application: $0)
    }
    var events: [AsyncVoIPStream.Event] = []
    for await event in stream.events { events.append(event) }
    #expect(
      events == [.errorOccurred(.system(code: 111, "connect to 127.0.0.1:\(port): Connection refused"))])
    mailbox.post { $0.leave() }
  }
}
