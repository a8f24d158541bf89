import Glibc
import LullSystem
import TestSupport
import Testing

/// A command that dies in its sleep in the same moment as its daemon.
@Suite(.tags(.faults), .bounded) struct DoubleDeathTests {
  /// Answers each line of one connection with the reason of its start; closes the connection at `end`. Takes
  /// the connection from LISTEN_FDS when it is given one.
  private static let server = """
    import os, socket, sys, time
    if os.environ.get("LISTEN_PID") == str(os.getpid()):
      one = socket.socket(fileno=3)
    else:
      with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listening:
        print("ready", flush=True)
        one = listening.accept()[0]
    while True:
      line = one.recv(100).decode().strip()
      if line == "end":
        one.close()
        time.sleep(1000)
      one.sendall(f"{line} {os.environ.get('LULL_LAUNCH_REASON', '-')}\\n".encode())
    """

  private let stage: Stage
  private let peer: Channel

  init() throws {
    stage = try Stage()
    let port = try stage.network.freePort()
    let options = ["--mode", "voip", "--keep-lines", "--"]
    let run = try stage.lull.start(
      ["install", "server"] + options + Python.command(Self.server, "\(port)"), prefix: stage.network.prefix)
    let errors = try run.errors.untilEnd()
    try #require(run.end() == .exited(0), "\(errors)")
    let log = try stage.lull.follow("server")
    _ = try log.output.line { $0 == "ready" }
    peer = try stage.network.connect(to: port)
    try peer.send("one\n")
    #expect(try peer.line().hasPrefix("one "))
    try stage.journal.waitForSleep(of: "server")
  }

  /// Kills lulld and the sleeping command, which nobody thaws before its end.
  private func killBoth() throws {
    let pid = try #require(stage.pids(of: "server").first)
    let command = try Process.pidfdOpen(pid)
    try stage.lull.guardian.signal(Signal.stop)
    try stage.lull.kill()
    try Process.sendSignal(command.raw, Signal.kill)
    try Deadline().wait(command.raw, .readable, for: "the end of the command")
  }

  @Test func `a crash that no daemon has seen keeps the connection`() throws {
    try killBoth()
    try stage.lull.guardian.signal(Signal.continue)
    let next = try stage.lull.journal()
    try next.wait("launched", of: "server", cause: "crash")
    try peer.send("two\n")
    #expect(try peer.line() == "two crash")
    try next.waitForSleep(of: "server")
    try killBoth()
    try stage.lull.guardian.signal(Signal.continue)
    try peer.send("three\n")
    #expect(try peer.line().hasPrefix("three "))
  }

  @Test(arguments: [SIGSEGV, SIGABRT])
  func `a signal that comes in its sleep and acts at its wake is a crash in its sleep`(signal: Int32) throws {
    let command = try Process.pidfdOpen(#require(stage.pids(of: "server").first))
    try Process.sendSignal(command.raw, signal)
    try peer.send("two\n")
    try Deadline().wait(command.raw, .readable, for: "the end of the command")
    #expect(try peer.line().hasPrefix("two "))
  }
}
