import LullSystem
import LullWire
import TestSupport
import Testing

/// A thread of a program on the library that asks a name server, of which the program knows nothing.
@Suite(.bounded) struct LookupTests {
  @Test func `it keeps its program awake until the answer has come`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let server = DescriptorBox(try Socket.bindDatagram(.loopback()))
    let port = try #require(try Socket.localAddress(server.raw).port)
    let program = try ConnectedChild(
      Python.command(Self.program, lull.socket, "\(port)"), environment: lull.environment)
    try Deadline().wait(server.raw, .readable, for: "the query")
    var buffer = ReceiveBuffer(capacity: 100)
    let sender = try #require(try Socket.readDatagram(server.raw, into: &buffer))
    try journal.waitForRefusal(of: "caller", cause: "query")
    #expect(try Socket.sendDatagram(server.raw, Array("127.0.0.1".utf8), to: sender) == .sent(9))
    #expect(try program.output.line() == "answer 127.0.0.1")
    try journal.waitForSleep(of: "caller")
  }

  /// Holds a line, has a thread ask from a socket of its own, as getaddrinfo does, and is done.
  private static let program = """
    import select, socket, sys, threading, time
    control = socket.socket(socket.AF_UNIX)
    control.connect(sys.argv[1])
    replies = control.makefile()
    def ask(text, *files):
      socket.send_fds(control, [text.encode() + b"\\n"], files)
      while not (line := replies.readline()).startswith("ok"):
        if line.startswith("event wake"):
          global ticket
          ticket = line.split("ticket=")[1].split()[0]
    line, far = socket.socketpair()
    ask("register name=caller modes=voip resume=background")
    ask(f"hold fd={line.fileno()} type=voip", line.fileno())
    query = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    query.connect(("127.0.0.1", int(sys.argv[2])))
    def look_up():
      query.send(b"who?")
      poll = select.poll()
      poll.register(query, select.POLLIN)
      poll.poll(20000)
      print("answer", query.recv(100).decode(), flush=True)
      query.close()
    threading.Thread(target=look_up).start()
    while True:
      status = open(f"/proc/self/task/{max(threading.enumerate(), key=lambda t: t.native_id).native_id}/stat")
      if status.read().split()[2] == "S": break
    ask(f"done ticket={ticket}")
    line.recv(1)
    """
}
