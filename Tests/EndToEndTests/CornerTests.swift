import LullSystem
import LullWire
import Testing

/// Programs that look idle and are not, or have what wakes them in an unusual place.
@Suite struct CornerTests {
  @Test func `one that looks for datagrams between its naps has them after its nap`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("napper", Python.command(Self.napper, "\(port)"))
    try stage.network.datagrams(to: port).send("hello")
    try stage.journal.wait("woke", of: "napper", cause: "data")
    #expect(try run.output.line() == "hello")
  }

  /// Its nap is longer than what is unread is waited for.
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

  @Test func `a transfer to a peer that has closed its half and is slow comes to its end`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("giver", Python.command(Self.giver, "\(port)"))
    let peer = try stage.network.connect(to: port)
    try peer.send("please\n")
    try Kernel.finishSending(peer.box)
    // Its peer takes nothing: it waits for room, and sleeps meanwhile.
    try stage.journal.waitForSleep(of: "giver")
    #expect(try peer.untilEnd().utf8.count == 8_000_000)
    try stage.journal.wait("woke", of: "giver", cause: "writable")
  }

  private static let giver = """
    import selectors, socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    connection, _ = listener.accept()
    while connection.recv(100):
      pass
    connection.setblocking(False)
    left = b"x" * 8000000
    selector = selectors.EpollSelector()
    selector.register(connection, selectors.EVENT_WRITE)
    while left:
      selector.select()
      left = left[connection.send(left):]
    connection.close()
    """

  @Test func `a process in a cgroup that the program has made is looked after as well`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let script = "\(Self.forked)\n" + Python.datagrams
    try stage.runToSleep("tree", Python.command(script, "\(port)"))
    let cgroup = try stage.lull.cgroup(of: "tree")
    let inner = try Cgroup.create(at: "\(cgroup.path)/inner")
    _ = try stage.lull.order("wake name=tree")
    let child = try #require(try stage.pids(of: "tree").max())
    try inner.move(child)
    try stage.journal.waitForSleep(of: "tree")
    let peer = try stage.network.datagrams(to: port)
    try peer.send("hello")
    try stage.journal.wait("woke", of: "tree", cause: "data")
    #expect(try stage.pids(of: "tree").contains(child))
  }

  /// The parent has a socket of its own and waits; the child goes on with what follows.
  private static let forked = """
    import os, signal, socket
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", 0))
    if os.fork():
      signal.pause()
    own.close()
    """

  @Test func `a fifo that is open for writing and for reading wakes its reader`() throws {
    let stage = try Stage()
    let fifo = try Fifo(stage)
    let script = "exec 4>\(fifo.path) 5<\(fifo.path); while read -r line <&5; do echo got $line; done"
    let run = try stage.run("sh", ["sh", "-c", script])
    try stage.journal.waitForSleep(of: "sh")
    try fifo.send("hello\n")
    #expect(try run.output.line() == "got hello")
  }

  @Test func `a sleeping command sleeps again under the next daemon, by the same rules`() throws {
    let stage = try Stage()
    let (port, other) = try (stage.network.freePort(), stage.network.freePort())
    let command = try Python.command(Python.datagrams, "\(port)", "\(other)")
    try stage.runToSleep("echo", command, options: ["--ignore", "\(other)", "--keep-alive", "600"])
    try stage.lull.kill()
    let journal = try stage.lull.journal()
    try journal.waitForSleep(of: "echo")
    #expect(try stage.lull.item(.keepalive, of: "echo").number(.timeoutSeconds) == 600)
    #expect(try stage.lull.order("lines name=echo").all(.line).count { $0[.line] == "udp" } == 1)
    try stage.network.datagrams(to: other).send("for nobody")
    try stage.network.datagrams(to: port).send("hello")
    #expect(try journal.wait("woke", of: "echo").string(.detail).contains("127.0.0.1:\(port)"))
  }
}
