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
