import LullSystem
import LullWire
import TestSupport
import Testing

/// A command that is asking the daemon something is not idle: its answer must not come while it sleeps.
@Suite(.bounded) struct AskingTests {
  @Test func `a script that asks lull between its waits reads every answer`() throws {
    let stage = try Stage()
    let fifo = try Fifo(stage)
    let run = try stage.run("script", ["sh", "-c", Self.script, "sh", Built.program("lull"), fifo.path])
    #expect(try run.output.line() == "ready")
    for round in 1...3 {
      try stage.journal.waitForSleep(of: "script")
      try fifo.send("\(round)\n")
      #expect(try run.output.line() == "answered \(round)")
    }
  }

  private static let script = """
    exec 3<"$2"
    echo ready
    while read -r round <&3; do
      for _ in 1 2 3 4; do
        "$1" status script >/dev/null || exit 1
        "$1" why script >/dev/null || exit 2
        sleep 0.03
      done
      echo "answered $round"
    done
    """

  @Test func `one that keeps a connection to the daemon reads every reply`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("asker", Python.command(Self.asker, "\(port)", stage.lull.socket))
    for round in 1...3 {
      try stage.network.datagrams(to: port).send("\(round)")
      #expect(try run.output.line() == "answered \(round)")
      try stage.journal.wait("woke", of: "asker", cause: "data")
      try stage.journal.waitForSleep(of: "asker")
    }
  }

  /// A program whose naps end about when the daemon observes it.
  private static let asker = """
    import socket, sys, time
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", int(sys.argv[1])))
    daemon = socket.socket(socket.AF_UNIX)
    daemon.connect(sys.argv[2])
    replies = daemon.makefile()
    print("ready", flush=True)
    while round := own.recv(100).decode():
      for nap in range(15, 35):
        daemon.sendall(b"hello\\n")
        if not replies.readline().startswith("ok "):
          sys.exit(1)
        time.sleep(nap / 1000)
      print("answered", round, flush=True)
    """
}
