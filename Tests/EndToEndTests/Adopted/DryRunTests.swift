import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

/// What is only watched runs on, and what it would have done is told.
@Suite(.bounded) struct DryRunTests {
  /// Answers each connection, by `poll` or by `epoll`, and closes it with its peer.
  private static let server = """
    import select, socket, sys
    listener = socket.create_server(("127.0.0.1", 0))
    files = {listener.fileno(): listener}
    poll = getattr(select, sys.argv[1])()
    poll.register(listener, select.POLLIN)
    print(listener.getsockname()[1], flush=True)
    while True:
      for number, _ in poll.poll():
        if number == listener.fileno():
          peer, _ = listener.accept()
          files[peer.fileno()] = peer
          poll.register(peer, select.POLLIN)
        elif data := files[number].recv(4096):
          files[number].sendall(data)
        else:
          poll.unregister(number)
          files.pop(number).close()
    """

  private struct Watched {
    let lull: Lull
    let journal: Journal
    let run: ConnectedChild
    let port: UInt16

    init(_ call: String) throws {
      lull = try Lull()
      journal = try lull.journal()
      run = try ConnectedChild(Python.command(DryRunTests.server, call))
      port = try #require(UInt16(run.output.line()))
    }

    func connect() throws -> Channel {
      let box = DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port)))
      try Deadline().wait(box.raw, .writable, for: "a connection to the server")
      return Channel(box, name: "the server")
    }

    func expectEcho(_ peer: Channel) throws {
      try peer.send("hello\n")
      #expect(try peer.line() == "hello")
    }
  }

  @Test(arguments: ["poll", "epoll"])
  func `what would have woken it is told, with its peer, and nothing is held`(call: String) throws {
    let watched = try Watched(call)
    let (lull, journal) = (watched.lull, watched.journal)
    let peer = try watched.connect()
    try watched.expectEcho(peer)
    let home = try Process.cgroupPath(of: watched.run.pid)
    let watch = try lull.start(["watch", "--pid", "\(watched.run.pid)", "--name", "server"])
    #expect(try watch.output.line().hasPrefix("server: watched; nothing is frozen."))
    try journal.waitForSleep(of: "server")
    #expect(try lull.field(.dryRun, of: "server") == "true")
    #expect(try Process.cgroupPath(of: watched.run.pid) == home)
    #expect(try !Process.isStopped(watched.run.pid))
    #expect(try !holdsConnection(of: watched.run.pid, lull.pid))
    // It answers in its sleep, and is woken of what came.
    try watched.expectEcho(peer)
    try journal.wait("woke", of: "server", cause: "data")
    try journal.waitForSleep(of: "server")
    let other = try watched.connect()
    try watched.expectEcho(other)
    try journal.wait("woke", of: "server")
    try journal.waitForSleep(of: "server")
    try watch.signal(Signal.interrupt)
    let report = try watch.output.untilEnd()
    #expect(try watch.end() == .exited(0))
    #expect(report.contains("it would have slept"), "\(report)")
    #expect(report.contains("data that arrived from 127.0.0.1"), "\(report)")
    #expect(report.contains("MiB of memory"), "\(report)")
    #expect(try lull.order("status").all(.program).isEmpty)
    try watched.expectEcho(peer)
  }

  @Test func `an adopted dry run is let go, and ends with its lulld`() throws {
    let watched = try Watched("poll")
    let lull = watched.lull
    let words = [
      "adopt", "--dry-run", "--pid", "\(watched.run.pid)", "--name", "server", "--tcp-keepalive", "60",
    ]
    let adopt = try lull.run(words)
    #expect(adopt.output.hasPrefix("server: watched, pid \(watched.run.pid)"), "\(adopt.errors)")
    try watched.journal.waitForSleep(of: "server")
    try lull.kill()
    #expect(try lull.order("status").all(.program).isEmpty)
    try watched.expectEcho(watched.connect())
    #expect(try lull.run(words).status == .exited(0))
    #expect(try lull.run("release", "server").status == .exited(0))
    try watched.expectEcho(watched.connect())
  }

  @Test func `a watch that was killed leaves nothing behind`() throws {
    let watched = try Watched("poll")
    let watch = try watched.lull.start(["watch", "--pid", "\(watched.run.pid)", "--name", "server"])
    #expect(try watch.output.line().hasPrefix("server: watched"))
    try watched.journal.waitForSleep(of: "server")
    try watch.signal(Signal.kill)
    try eventually("the dry run goes on") { try watched.lull.order("status").all(.program).isEmpty }
    try watched.expectEcho(watched.connect())
  }

  @Test(.tags(.faults)) func `what was found is told when lulld is killed`() throws {
    let watched = try Watched("poll")
    let watch = try watched.lull.start(["watch", "--pid", "\(watched.run.pid)", "--name", "server"])
    #expect(try watch.output.line().hasPrefix("server: watched"))
    try watched.journal.waitForSleep(of: "server")
    try watched.lull.kill()
    #expect(try watch.output.untilEnd().contains("server was watched for"))
    #expect(try watch.end() == .exited(1))
  }

  @Test func `a watch that somebody else ends says so`() throws {
    let watched = try Watched("poll")
    let watch = try watched.lull.start(["watch", "--pid", "\(watched.run.pid)", "--name", "server"])
    #expect(try watch.output.line().hasPrefix("server: watched"))
    #expect(try watched.lull.run("release", "server").status == .exited(0))
    #expect(try watch.output.untilEnd().contains("it was let go"))
    #expect(try watch.end() == .exited(0))
  }

  @Test func `what was found until its end is told at once`() throws {
    let watched = try Watched("poll")
    let watch = try watched.lull.start(
      ["watch", "--pid", "\(watched.run.pid)", "--name", "server", "--for", "1h"])
    #expect(try watch.output.line().hasPrefix("server: watched"))
    try watched.journal.waitForSleep(of: "server")
    // The command asks once a second.
    try eventually("it does not sleep") {
      try Double(watched.lull.field(.asleepSeconds, of: "server")) ?? 0 > 1.5
    }
    try watched.run.signal(Signal.kill)
    let report = try watch.output.untilEnd()
    #expect(try watch.end() == .exited(0))
    #expect(report.contains("it has ended") && !report.contains("slept 0 %"), "\(report)")
  }

  @Test func `what keeps it awake is told, with its time and what to do`() throws {
    let lull = try Lull()
    let busy = try ConnectedChild(Python.command("print('ready', flush=True)\nwhile True: pass"))
    #expect(try busy.output.line() == "ready")
    let watch = try lull.start(["watch", "--pid", "\(busy.pid)", "--name", "busy"])
    #expect(try watch.output.line().hasPrefix("busy: watched"))
    try lull.journal().wait("freeze-refused", of: "busy")
    try watch.signal(Signal.terminate)
    let report = try watch.output.untilEnd()
    #expect(report.contains("it was busy"), "\(report)")
    #expect(report.contains("one that never waits keeps it awake"), "\(report)")
  }

  /// A duplicate would hide from the peer that the program has closed it.
  private func holdsConnection(of server: Int32, _ lulld: Int32) throws -> Bool {
    // The listening socket was opened first.
    let connection = try #require(try sockets(of: server).max { $0.number < $1.number }?.inode)
    return try sockets(of: lulld).contains { $0.inode == connection }
  }

  private func sockets(of pid: Int32) throws -> [(number: Int32, inode: UInt64)] {
    var entries = try NumberedEntries("/proc/\(pid)/fd")
    var found: [(number: Int32, inode: UInt64)] = []
    while let number = entries.next() {
      if case .socket(let inode)? = try? OpenFile.kind(of: number, in: pid) { found.append((number, inode)) }
    }
    return found
  }
}
