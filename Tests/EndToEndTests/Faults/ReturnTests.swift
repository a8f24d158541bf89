import LullSystem
import LullWire
import TestSupport
import Testing

/// Commands that outlive their daemon, and the next daemon.
@Suite(.tags(.faults), .bounded) struct ReturnTests {
  enum End: CaseIterable {
    case stopped, killed
  }

  private let lull: Lull

  init() throws { lull = try Lull() }

  /// Answers each text line of its connection; another process of it does nothing.
  private static func echo(_ port: UInt16) -> [String] {
    let script = """
      sleep 1000 & exec 3<>/dev/tcp/127.0.0.1/$0; echo ready
      while read -u 3 line; do echo "got $line" >&3; done
      """
    return ["bash", "-c", script, "\(port)"]
  }

  private func end(_ way: End) throws {
    switch way {
    case .stopped: #expect(try lull.run("daemon", "stop").status == .exited(0))
    case .killed: try lull.killBoth()
    }
  }

  @Test(arguments: End.allCases)
  func `a detached command is taken over as it is`(way: End) throws {
    let server = try Server()
    let journal = try lull.journal()
    let pid = try lull.runDetached("p", Self.echo(server.port), options: ["--mode", "voip"])
    let peer = try server.accept()
    try journal.waitForSleep(of: "p")
    let pids = try lull.field(.pids, of: "p")
    #expect(pids.contains(","), "it has two processes")
    try end(way)
    try peer.send("alone\n")
    #expect(try peer.line() == "got alone")
    try lull.startAgain()
    let next = try lull.journal()
    try next.wait("returned", of: "p")
    #expect(try lull.field(.pids, of: "p") == pids)
    #expect(try lull.cgroup(of: "p").allProcesses().map { "\($0)" }.joined(separator: ",") == pids)
    try next.waitForSleep(of: "p")
    try peer.send("hello\n")
    #expect(try peer.line() == "got hello")
    // Its end is the next daemon's to tell, and the keeper's.
    let log = try lull.follow("p")
    #expect(try log.output.line() == "ready")
    let pidfd = try Process.pidfdOpen(pid)
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    #expect(try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    #expect(try log.errors.untilEnd().hasPrefix("lull: p has ended ("))
  }

  @Test func `an attached command is taken over as it is`() throws {
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "echo ready; read line; exit 7"])
    #expect(try run.output.line() == "ready")
    let pid = try #require(Int32(lull.field(.pids, of: "p")))
    try end(.stopped)
    #expect(try run.errors.line().hasPrefix("lull: the daemon is gone; p (pid \(pid)) runs on"))
    try lull.startAgain()
    #expect(try run.errors.line() == "lull: a daemon runs again, and p (pid \(pid)) is its program")
    #expect(try lull.field(.pids, of: "p") == "\(pid)")
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    #expect(try run.end() == .signaled(Signal.terminate))
  }

  @Test(arguments: [false, true])
  func `a phone on the library comes back under the name that it was given`(isFirst: Bool) throws {
    let netcat = try Netcat()
    let journal = try lull.journal()
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    let pid = try lull.runDetached("telephone", words)
    try journal.waitForSleep(of: "telephone")
    let keeper = try lull.keeper(of: pid)
    // The phone or its keeper may come first. The race: what a keeper that has lost its daemon thaws it thaws
    // under the lock, which it would hold for ever if it were stopped then.
    if isFirst { try Process.kill(keeper, Signal.stop) }
    try end(.stopped)
    // It ends with the phone.
    defer { try? Process.kill(keeper, Signal.continue) }
    try lull.startAgain()
    let next = try lull.journal()
    if isFirst {
      try next.wait("registered", of: "telephone")
      try Process.kill(keeper, Signal.continue)
    }
    try next.wait("returned", of: "telephone")
    try next.waitForSleep(of: "telephone")
    let programs = try lull.order("status").all(.program)
    #expect(programs.map { $0[.name] } == ["telephone"])
    #expect(try lull.field(.pids, of: "telephone") == "\(pid)")
    #expect(try netcat.line.line() == "ping")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try next.waitForSleep(of: "telephone")
  }

  @Test(arguments: [["quit", "p"], ["stop", "p"], ["quit", "--all"], ["daemon", "stop", "--programs"]])
  func `without a daemon it is ended, and only then is that said`(words: [String]) throws {
    let pid = try lull.runDetached("p", ["sh", "-c", "sleep 1000 & echo ready; wait"])
    try eventually("its child does not run") { try Process.children(of: pid).count == 1 }
    let processes = try ([pid] + Process.children(of: pid)).map { DescriptorBox(try Process.pidfdOpen($0)) }
    try end(.stopped)
    let quit = try lull.start(words)
    let text = try quit.output.line()
    #expect(text == (words[0] == "daemon" ? "the daemon has ended" : "p ended (SIGTERM)"), "\(text)")
    for process in processes {
      #expect(try !Socket.poll(process.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    }
    #expect(try quit.errors.untilEnd() == "")
    #expect(try quit.end() == .exited(0))
  }
}
