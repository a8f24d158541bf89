import LullSystem
import LullWire
import TestSupport
import Testing

/// A query over UDP may get lost: the program has to be able to ask again.
@Suite(.bounded) struct ResolverTests {
  @Test func `a query that gets no answer is repeated, and only then does its program sleep`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let resolver = try Resolver(stage)
    let command = try Python.command(Self.program, "\(port)", "\(resolver.port)")
    let run = try stage.runToSleep("phone", command)
    for round in 1...2 {
      try stage.network.datagrams(to: port).send("call \(round)")
      try stage.journal.wait("woke", of: "phone", cause: "data")
      #expect(try resolver.query().text == "query 1 of call \(round)")
      let second = try resolver.query()
      #expect(second.text == "query 2 of call \(round)")
      let between = try stage.journal.entriesUpToNow().filter { $0["program"] == "phone" }
      #expect(!between.contains { $0["what"] == "frozen" }, "\(between)")
      try resolver.answer("127.0.0.1", to: second.sender)
      #expect(try run.output.line() == "answer 127.0.0.1")
      try stage.journal.waitUntilAsleep("phone", stage.lull)
    }
  }

  @Test func `an answer reaches its program, asleep or not`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let resolver = try Resolver(stage)
    let run = try stage.runToSleep("phone", Python.command(Self.program, "\(port)", "\(resolver.port)"))
    try stage.network.datagrams(to: port).send("call")
    let first = try resolver.query()
    try resolver.answer("127.0.0.2", to: first.sender)
    #expect(try run.output.line() == "answer 127.0.0.2")
    try stage.journal.waitUntilAsleep("phone", stage.lull)
  }

  /// A program that asks from a new socket for each datagram, and again when no answer came in two seconds.
  private static let program = """
    import select, socket, sys
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while call := own.recv(100).decode():
      query = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      query.connect(("127.0.0.1", int(sys.argv[2])))
      poll = select.poll()
      poll.register(query, select.POLLIN)
      count = 0
      while True:
        count += 1
        query.send(f"query {count} of {call}".encode())
        if poll.poll(2000):
          print("answer", query.recv(100).decode(), flush=True)
          break
      query.close()
    """
}

/// A name server in the test itself.
private struct Resolver {
  private let box: DescriptorBox
  let port: UInt16

  init(_ stage: Stage) throws {
    box = try stage.network.inside { DescriptorBox(try Socket.bindDatagram(.loopback())) }
    port = try #require(try Socket.localAddress(box.raw).port)
  }

  /// Waits for the next query.
  func query() throws -> (text: String, sender: SocketAddress) {
    try Deadline().wait(box.raw, .readable, for: "a query")
    var buffer = ReceiveBuffer(capacity: 1_000)
    let sender = try #require(try Socket.readDatagram(box.raw, into: &buffer))
    return (String(decoding: buffer.received, as: UTF8.self), sender)
  }

  func answer(_ text: String, to sender: SocketAddress) throws {
    try Socket.sendDatagram(box.raw, Array(text.utf8), to: sender)
  }
}
