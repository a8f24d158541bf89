import LullSystem
import LullWire
import TestSupport
import Testing

/// A client that owes its server a ping, as MQTT clients do, and knows nothing of Lull.
@Suite(.bounded) struct BrokerTests {
  /// At 20 times the speed. The client's timers wake it every 600 s at first, which is 30 s here. The
  /// broker's patience is 4 s, and after the loss the timers wake the client every third of that. The grace
  /// for that is 3 s.
  @Test func `a client that is thrown out once for want of a ping keeps its next connection`() throws {
    let stage = try Stage(clockRate: 20)
    let port = try stage.network.freePort()
    let broker = try ConnectedChild(stage.network.prefix + Python.command(Self.broker, "\(port)", "4"))
    #expect(try broker.output.line() == "ready")
    try stage.run("client", Python.command(Self.client, "\(port)", "1.2"))
    #expect(try broker.output.line() == "connected")
    try stage.journal.waitForSleep(of: "client")
    _ = try broker.output.line { $0 == "thrown out" }
    try stage.journal.wait("timer-overdue", of: "client")
    _ = try broker.output.line { $0 == "connected" }
    for _ in 1...3 {
      try stage.journal.wait("woke", of: "client", cause: "timer")
      try stage.journal.waitForSleep(of: "client")
    }
    #expect(try broker.output.line() == "ping")
    try broker.output.send("end\n")
    #expect(try !broker.output.untilEnd().contains("thrown out"))
  }

  /// A broker that ends a connection after a given time of silence.
  private static let broker = """
    import os, socket, sys, threading
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    def serve():
      while True:
        connection, _ = listener.accept()
        connection.settimeout(float(sys.argv[2]))
        print("connected", flush=True)
        try:
          while connection.recv(100):
            connection.sendall(b"pong\\n")
            print("ping", flush=True)
        except TimeoutError:
          print("thrown out", flush=True)
        connection.close()
    threading.Thread(target=serve, daemon=True).start()
    sys.stdin.readline()
    """

  /// A client that pings after a given time of silence, and connects again at once.
  private static let client = """
    import select, socket, sys
    while True:
      with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as broker:
        while True:
          if not select.select([broker], [], [], float(sys.argv[2]))[0]:
            broker.sendall(b"ping\\n")
          elif not broker.recv(100):
            break
    """
}
