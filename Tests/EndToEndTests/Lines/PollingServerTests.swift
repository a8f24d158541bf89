import LullSystem
import LullWire
import TestSupport
import Testing

/// Servers that look for bytes between naps instead of waiting for them.
@Suite(.bounded) struct PollingServerTests {
  @Test func `a server that looks up five times a second sleeps between two looks`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("ticking", Python.command(Python.ticking, "\(port)"))
    #expect(try stage.network.connect(to: port).line() == "hello")
    try stage.journal.waitForSleep(of: "ticking")
  }

  @Test func `one that looks for datagrams between its naps has them after its nap`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("napper", Python.command(Self.napper, "\(port)"))
    try stage.network.datagrams(to: port).send("hello")
    try stage.journal.wait("woke", of: "napper", cause: "data")
    #expect(try run.output.line() == "hello")
  }

  @Test func `one that looks for datagrams between its looks at its input has them`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    // An input that stays open and silent.
    let (input, inputEnd) = try UnixSocket.pair()
    defer { inputEnd.close() }
    let run = try stage.run("console", Python.command(Self.console, "\(port)"), input: input.raw)
    _ = try run.output.line { $0 == "ready" }
    try stage.journal.waitForSleep(of: "console")
    try stage.network.datagrams(to: port).send("hello")
    try stage.journal.wait("woke", of: "console", cause: "data")
    #expect(try run.output.line() == "hello")
  }

  /// A program that waits for its input alone, for a tenth of a second at a time, as readline lets linphonec.
  private static let console = """
    import select, socket, sys
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("127.0.0.1", int(sys.argv[1])))
    one.setblocking(False)
    print("ready", flush=True)
    while True:
      select.select([0], [], [], 0.1)
      try:
        print(one.recv(100).decode(), flush=True)
      except BlockingIOError:
        pass
    """

  /// A program whose nap is longer than the daemon waits for bytes to be read.
  private static let napper = """
    import socket, sys, time
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("127.0.0.1", int(sys.argv[1])))
    one.setblocking(False)
    print("ready", flush=True)
    while True:
      time.sleep(5)
      try:
        print(one.recv(100).decode(), flush=True)
      except BlockingIOError:
        pass
    """
}
