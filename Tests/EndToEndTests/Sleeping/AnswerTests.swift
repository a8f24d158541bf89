import LullSystem
import LullWire
import TestSupport
import Testing

/// A server that answers at its own tick is not put to sleep before its answer.
@Suite(.bounded) struct AnswerTests {
  @Test func `it answers on a connection at the next tick`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("server", Python.command(Self.server, "\(port)", "SOCK_STREAM"))
    let peer = try stage.network.connect(to: port)
    for round in 1...3 {
      try peer.send("\(round)\n")
      #expect(try peer.line() == "\(round)")
      try stage.journal.waitUntilAsleep("server", stage.lull)
    }
  }

  @Test func `and so it does for a datagram that woke it`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("server", Python.command(Self.server, "\(port)", "SOCK_DGRAM"))
    for round in 1...3 {
      try stage.network.datagrams(to: port).send("\(round)\n")
      #expect(try run.output.line() == "\(round)")
      try stage.journal.waitUntilAsleep("server", stage.lull)
    }
  }

  /// A server that reads what comes at once, and answers when nothing more has come for 1.5 s; datagrams on
  /// its output.
  private static let server = """
    import select, socket, sys
    kind = getattr(socket, sys.argv[2])
    one = socket.socket(socket.AF_INET, kind)
    one.bind(("127.0.0.1", int(sys.argv[1])))
    if kind == socket.SOCK_STREAM:
      one.listen()
    epoll, peers, due = select.epoll(), {}, []
    epoll.register(one, select.EPOLLIN)
    print("ready", flush=True)
    while True:
      events = epoll.poll(1.5)
      for number, _ in events:
        if number in peers:
          data = peers[number].recv(100)
          due.append((peers[number].sendall, data))
          if not data:
            epoll.unregister(number)
            del peers[number]
        elif kind == socket.SOCK_STREAM:
          peer, _ = one.accept()
          peers[peer.fileno()] = peer
          epoll.register(peer, select.EPOLLIN)
        else:
          due.append((lambda data: print(data.decode(), end="", flush=True), one.recv(100)))
      if not events:
        for answer, data in due:
          answer(data)
        due = []
    """
}
