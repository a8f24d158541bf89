import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Sockets of a command that knows nothing of Lull, over its end: sd_listen_fds(3).
@Suite(.bounded) struct InheritedSocketTests {
  /// Greets each connection and echoes each datagram; takes its sockets from LISTEN_FDS when it is given any.
  private static let server = """
    import os, selectors, socket, sys
    given = int(os.environ.get("LISTEN_FDS", "0"))
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
      given = 0
    ours = [socket.socket(fileno=3 + number) for number in range(given)]
    if not given:
      one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      one.bind(("127.0.0.1", int(sys.argv[2])))
      ours = [socket.create_server(("127.0.0.1", int(sys.argv[1]))), one]
    selector = selectors.DefaultSelector()
    for one in ours:
      selector.register(one, selectors.EVENT_READ)
    names = os.environ.get("LISTEN_FDNAMES", "").split(":")
    line = os.environ.get("LULL_LAUNCH_LINE")
    data = ours[names.index(line)].type.name if line in names else "-"
    print("ready", given, ":".join(names), data, flush=True)
    while True:
      for key, _ in selector.select():
        if key.fileobj.type == socket.SOCK_STREAM:
          with key.fileobj.accept()[0] as connection:
            connection.sendall(b"hello\\n")
        else:
          data, peer = key.fileobj.recvfrom(2000)
          key.fileobj.sendto(data, peer)
    """

  private let lull: Lull
  private let journal: Journal
  private let network: Network

  init() throws {
    network = try Network()
    lull = try Lull(prefix: network.prefix)
    journal = try lull.journal()
  }

  /// Starts the server detached; returned with its ports when it sleeps.
  private func start(_ options: String...) throws -> (pid: Int32, tcp: UInt16, udp: UInt16) {
    let ports = try run(["--mode", "voip"] + options)
    try journal.waitForSleep(of: "server")
    return (try #require(Int32(lull.field(.pids, of: "server"))), ports.0, ports.1)
  }

  private func run(_ options: [String]) throws -> (UInt16, UInt16) {
    let ports = try (network.freePort(), network.freePort())
    let command = try Python.command(Self.server, "\(ports.0)", "\(ports.1)")
    let words = ["run", "--detach", "--name", "server"] + options + ["--"] + command
    let run = try lull.start(words, prefix: network.prefix)
    try #require(try run.end() == .exited(0))
    return ports
  }

  /// It goes on with its sockets; `data`: the kind of the one that it was launched for.
  private func restarted(for data: String = "-") throws {
    let log = try lull.follow("server")
    let line = try log.output.line { $0.hasPrefix("ready 2 ") }
    #expect(line == "ready 2 line-1:line-2 \(data)")
  }

  @Test func `a command goes on with its listening socket and its datagrams`() throws {
    let (_, tcp, udp) = try start("--keep-lines")
    try lull.order("quit name=server keepLines")
    try journal.wait("killed", of: "server", cause: "restarted")
    try journal.wait("lines-kept", of: "server")
    // Nobody listens, and nobody is refused.
    let connection = try network.connect(to: tcp)
    let datagrams = try network.datagrams(to: udp)
    try datagrams.send("one\n")
    let start = try lull.start(["start", "server"], prefix: network.prefix)
    #expect(try start.errors.untilEnd() == "")
    #expect(try start.end() == .exited(0))
    #expect(try connection.line() == "hello")
    #expect(try datagrams.line() == "one")
    try restarted()
    try journal.waitForSleep(of: "server")
    try datagrams.send("two\n")
    #expect(try datagrams.line() == "two")
  }

  @Test(.tags(.faults)) func `a command that is launched for a connection is told on which socket`() throws {
    let (pid, tcp, _) = try start("--keep-lines")
    try Process.kill(pid, Signal.kill)
    try journal.wait("lines-kept", of: "server")
    let connection = try network.connect(to: tcp)
    #expect(try connection.line() == "hello")
    let launched = try journal.wait("launched", of: "server", cause: "data")
    #expect(launched[.detail] == "tcp-listen 127.0.0.1:\(tcp)")
    try restarted(for: "SOCK_STREAM")
  }

  @Test func `a command that is awake is purged without a word to its peers, and data launches it`() throws {
    let (tcp, udp) = try run(["--keep-lines", "--purgeable"])
    let log = try lull.follow("server")
    _ = try log.output.line { $0 == "ready 0  -" }
    let datagrams = try network.datagrams(to: udp)
    try datagrams.send("one\n")
    #expect(try datagrams.line() == "one")
    #expect(try lull.run("purge", "server").output == "server was purged\n")
    try journal.wait("killed", of: "server", cause: "purged")
    try journal.wait("lines-kept", of: "server")
    let ended = try lull.order("status name=server all").all(.ended).first
    #expect(ended?[.reason] == "purged-by-operator", "\(String(describing: ended))")
    try datagrams.send("two\n")
    #expect(try datagrams.line() == "two")
    try journal.wait("launched", of: "server", cause: "data")
    #expect(try network.connect(to: tcp).line() == "hello")
  }

  @Test func `another program of the name does not get the sockets`() throws {
    let (_, tcp, _) = try start("--keep-lines")
    try lull.order("quit name=server keepLines")
    try journal.wait("lines-kept", of: "server")
    let report = "echo \"given ${LISTEN_FDS:-nothing}\"; exec sleep 1000"
    let words = ["run", "--detach", "--name", "server", "--", "sh", "-c", report]
    #expect(try lull.start(words, prefix: network.prefix).end() == .exited(0))
    try journal.wait("kept-line-closed", of: "server")
    let log = try lull.follow("server")
    _ = try log.output.line { $0 == "given nothing" }
    try eventually("the port is not free again") {
      (try? network.inside { try Server(port: tcp) }) != nil
    }
  }

  @Test(.tags(.badInput)) func `a command that was started without --keep-lines keeps running`() throws {
    let (pid, tcp, _) = try start()
    let restart = try lull.run("restart", "--keep-lines", "server")
    #expect(restart.status == .exited(1))
    #expect(restart.errors.contains("only when it was started with --keep-lines"), "\(restart.errors)")
    #expect(try lull.field(.pids, of: "server") == "\(pid)")
    #expect(try network.connect(to: tcp).line() == "hello")
  }

  @Test func `why names the lines that are kept, and what closes them`() throws {
    let (_, tcp, udp) = try start("--keep-lines")
    try lull.order("quit name=server keepLines")
    try journal.wait("lines-kept", of: "server")
    let why = try lull.run("why", "server").output.replacing("\n", with: " ")
    let kept = ["tcp-listen 127.0.0.1:\(tcp)", "udp 127.0.0.1:\(udp)"]
    #expect(kept.allSatisfy(why.contains), "\(why)")
    #expect(why.contains("\"lull quit server\" closes them"), "\(why)")
    #expect(try lull.run("quit", "server").status == .exited(0))
    #expect(try !lull.run("why", "server").output.contains("keeps its connections open"))
  }
}
