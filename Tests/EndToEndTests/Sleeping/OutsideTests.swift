import LullSystem
import LullWire
import TestSupport
import Testing

/// A sleeper is woken only from outside: its own pipes, event counters and socket pairs cannot wake it.
@Suite(.bounded) struct OutsideTests {
  @Test func `one that waits for nothing but itself stays awake`() throws {
    let stage = try Stage(clockRate: 4)
    let kinds = ["eventfd", "pipe", "pair", "forked-pair", "tcp"]
    let runs = try kinds.map { try stage.run($0, Python.command(Self.loner, $0)) }
    for run in runs { #expect(try run.output.line() == "ready") }
    for kind in kinds {
      let journal = try stage.lull.journal()
      try journal.waitForRefusal(of: kind, cause: "no-line")
      #expect(try stage.lull.state(of: kind) == "background")
      #expect(try stage.why(kind).hasPrefix("\(kind) is in the background and awake\n"))
    }
  }

  /// A program that waits for what only another thread or process of its own could bring.
  private static let loner = """
    import os, select, socket, sys, threading
    def tcp():
      listener = socket.create_server(("127.0.0.1", 0))
      one = socket.create_connection(listener.getsockname())
      two, _ = listener.accept()
      return one, two
    kind = sys.argv[1]
    if kind == "eventfd":
      ends = [os.eventfd(0)]
    elif kind == "pipe":
      ends = os.pipe()
    elif kind == "tcp":
      ends = tcp()
    else:
      ends = socket.socketpair()
    waited = ends[0]
    if kind == "forked-pair" and os.fork():
      waited = ends[1]
    poll = select.epoll()
    poll.register(waited, select.EPOLLIN)
    print("ready", flush=True)
    poll.poll()
    """

  @Test func `a client whose server is not there yet tries again until it is`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.run("client", Python.command(Self.client, "\(port)"))
    for _ in 1...3 { #expect(try run.output.line() == "lost") }
    let server = try stage.network.inside { try Server(port: port) }
    let peer = try server.accept()
    try stage.journal.waitForSleep(of: "client")
    try peer.send("hello\n")
    #expect(try run.output.line() == "hello")
  }

  @Test func `a client whose server goes away connects again after its pause`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server() }
    let run = try stage.run("client", Python.command(Self.client, "\(server.port)"))
    for round in 1...2 {
      let peer = try server.accept()
      try peer.send("\(round)\n")
      #expect(try run.output.line() == "\(round)")
      peer.close()
      #expect(try run.output.line() == "lost")
    }
    _ = try server.accept()
  }

  /// A client whose event loop has a socket pair of its own; while the client pauses it has nothing else.
  private static let client = """
    import asyncio, sys
    async def main():
      while True:
        try:
          reader, writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
          while line := await reader.readline():
            print(line.decode(), end="", flush=True)
          writer.close()
        except OSError:
          pass
        print("lost", flush=True)
        await asyncio.sleep(1.5)
    asyncio.run(main())
    """

  /// Node keeps a pipe with an unread byte as a lock, for which no thread waits.
  @Test func `node is put to sleep when it has nothing to do`() throws {
    try Executables.require("node", package: "nodejs")
    let stage = try Stage()
    let port = try stage.network.freePort()
    let server = "require('net').createServer().listen(\(port), '127.0.0.1', () => console.log('ready'))"
    let run = try stage.run("node", ["node", "-e", server])
    #expect(try run.output.line() == "ready")
    try stage.journal.waitForSleep(of: "node")
    try stage.lull.order("wake name=node")
    try stage.journal.waitForSleep(of: "node")
  }
}
