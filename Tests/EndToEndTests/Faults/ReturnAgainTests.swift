import LullSystem
import LullWire
import TestSupport
import Testing

/// Returns to the next daemon that fail at first, and what comes for a program meanwhile.
@Suite(.tags(.faults), .bounded) struct ReturnAgainTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  /// The times that a process has begun to wait.
  private func waits(of pid: Int32) throws -> Int {
    let line = try Kernel.text("/proc/\(pid)/status").split(separator: "\n")
      .first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return try #require(line?.split(separator: "\t").last.flatMap { Int($0) })
  }

  /// A daemon whose socket is there before it listens, when its input ends, and that hangs up three times.
  private func lateDaemon() throws -> (DescriptorBox, ConnectedChild) {
    let script = """
      import socket, sys
      server = socket.socket(socket.AF_UNIX)
      server.bind(sys.argv[1])
      print("bound", flush=True)
      sys.stdin.read()
      server.listen()
      for _ in range(3): server.accept()[0].close()
      print("hung up", flush=True)
      """
    let input = try Pipe.open()
    let words = try Python.command(script, lull.socket)
    return (input.writing, try ConnectedChild(words, environment: [], input: input.reading.raw))
  }

  @Test func `a return that broke off is tried again by time`() throws {
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "echo ready; exec sleep 1000"])
    #expect(try run.output.line() == "ready")
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    #expect(try run.errors.line().hasPrefix("lull: the daemon is gone"))
    try lull.guardian.end()
    // The runtime directory changes once, and no more when the socket listens.
    let before = try waits(of: run.pid)
    let (input, daemon) = try lateDaemon()
    #expect(try daemon.output.line() == "bound")
    try eventually("it did not look at the socket") { try waits(of: run.pid) > before }
    input.close()
    #expect(try daemon.output.line() == "hung up")
    try daemon.end()
    try Files.unlink(lull.socket)
    try lull.startAgain()
    try lull.journal().wait("returned", of: "p")
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
  }

  @Test(arguments: [false, true])
  func `a link for a phone that is about to return reaches it`(hasReturned: Bool) throws {
    let netcat = try Netcat()
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    let pid = try lull.runDetached("phone", words, options: ["--scheme", "tel"])
    #expect(try netcat.line.line() == "ping")
    try netcat.line.send("pong\n")
    let keeper = try lull.keeper(of: pid)
    defer { for process in [pid, keeper] { try? Process.kill(process, Signal.continue) } }
    // The race: a keeper that has lost its daemon must not be stopped while it has the lock.
    if !hasReturned { try Process.kill(keeper, Signal.stop) }
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    try Process.kill(pid, Signal.stop)
    try lull.startAgain()
    let journal = try lull.journal()
    if hasReturned { try journal.wait("returned", of: "phone") }
    let open = try lull.start(["open", "tel:+15551234"])
    if !hasReturned { try journal.wait("returned", of: "phone") }
    try Process.kill(pid, Signal.continue)
    #expect(try open.output.untilEnd() == "phone: woken for the link\n")
    let call = try netcat.line.line { $0.hasPrefix("notify ") }
    #expect(call.hasSuffix(" to=tel:+15551234"), "\(call)")
    #expect(try lull.field(.pids, of: "phone") == "\(pid)")
    #expect(try lull.run("quit", "phone").status == .exited(0))
  }
}
