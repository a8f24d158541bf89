import LullSystem
import LullWire
import TestSupport
import Testing

/// A program with a thousand connections in one epoll set.
@Suite(.bounded) struct LargeProgramTests {
  private static let count = 1_000

  @Test func `it sleeps, and the bytes and the end of each of its connections wake it`() throws {
    let stage = try Stage(clockRate: 4)
    let peers = try Self.start(stage)
    for number in stride(from: 0, to: Self.count, by: 50) {
      try peers[number].send("\(number)\n")
      #expect(try peers[number].line() == "\(number)")
      try stage.journal.wait("woke", of: "large", cause: "data")
      try stage.journal.waitForSleep(of: "large")
    }
    for (number, peer) in peers.enumerated() { try peer.send("\(number)\n") }
    for (number, peer) in peers.enumerated() { #expect(try peer.line() == "\(number)") }
    try stage.journal.waitUntilAsleep("large", stage.lull)
    peers[500].close()
    try stage.journal.wait("woke", of: "large")
    try stage.journal.waitForSleep(of: "large")
    try peers[501].send("last\n")
    #expect(try peers[501].line() == "last")
  }

  @Test func `lull lines sums them up, and lists all of them when asked to`() throws {
    let stage = try Stage(clockRate: 4)
    let peers = try Self.start(stage)
    let sum = try stage.lull.run("lines", "large")
    #expect(sum.status == .exited(0))
    #expect(sum.output.split(separator: "\n").count < 10, "\(sum.output)")
    // The listening socket is in the set as well.
    #expect(sum.output.contains("1,001 connections"), "\(sum.output)")
    let list = try stage.lull.run("lines", "--all", "large")
    #expect(list.status == .exited(0), "\(list.errors)")
    let listed = Set(Self.words(list.output))
    let missing = try peers.filter { peer in
      try !listed.contains(Substring(Socket.localAddress(peer.box.raw).description))
    }
    #expect(missing.isEmpty, "\(missing.count) of \(Self.count) are not listed")
  }

  @Test func `a small program is woken while the large one falls asleep and wakes`() throws {
    let stage = try Stage(clockRate: 4)
    let peers = try Self.start(stage)
    let port = try stage.network.freePort()
    try stage.runToSleep("small", Python.command(Python.datagrams, "\(port)"))
    let small = try stage.network.datagrams(to: port)
    for round in 0..<20 {
      try stage.journal.waitUntilAsleep("small", stage.lull)
      try peers[round].send("\(round)\n")
      #expect(try peers[round].line() == "\(round)")
      // The large program is about to fall asleep now.
      try small.send("\(round)\n")
      #expect(try small.line() == "\(round)")
    }
  }

  @Test func `the connections of a small set are listed once`() throws {
    let stage = try Stage(clockRate: 4)
    let peers = try Self.start(stage, count: 2)
    let list = try stage.lull.run("lines", "--all", "large")
    for peer in peers {
      let address = Substring(try Socket.localAddress(peer.box.raw).description)
      #expect(Self.words(list.output).count { $0 == address } == 1, "\(address) in \(list.output)")
    }
  }

  /// Starts the program, waits until it sleeps, and returns the test's ends of its connections.
  private static func start(_ stage: Stage, count: Int = LargeProgramTests.count) throws -> [Channel] {
    let limit = try ResourceLimits.raiseOpenFiles()
    try #require(limit > count + 200, "the limit of open files (ulimit -Hn) is too low")
    let port = try stage.network.freePort()
    let run = try stage.run("large", Python.command(program, "\(port)", "\(count)"))
    try #require(try run.output.line() == "ready")
    let peers = try (0..<count).map { _ in try stage.network.connect(to: port) }
    try #require(try run.output.line() == "all")
    try stage.journal.waitForSleep(of: "large")
    return peers
  }

  private static func words(_ text: String) -> [Substring] {
    text.split { $0.isWhitespace || $0 == "," || $0 == "(" || $0 == ")" }
  }

  /// A program that says `all` when it has as many connections as it is told.
  private static let program = """
    import resource, selectors, socket, sys
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=1000)
    selector = selectors.EpollSelector()
    selector.register(listener, selectors.EVENT_READ)
    print("ready", flush=True)
    missing = int(sys.argv[2])
    while True:
      for key, _ in selector.select():
        if key.fileobj is listener:
          selector.register(listener.accept()[0], selectors.EVENT_READ)
          missing -= 1
          if missing == 0:
            print("all", flush=True)
        elif data := key.fileobj.recv(4096):
          key.fileobj.sendall(data)
        else:
          selector.unregister(key.fileobj)
          key.fileobj.close()
    """
}
