import LullSystem
import LullWire
import TestSupport
import Testing

/// Commands of which the next daemon knows nothing.
@Suite(.tags(.faults), .bounded) struct HandOverTests {
  /// A daemon that makes room for a command, and dies as soon as that is handed over.
  private static let dying = """
    import os, socket, sys
    path = sys.argv[1]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    connection, _ = listener.accept()
    for line in connection.makefile():
      verb = line.split()[0]
      if verb == "started":
        os.unlink(path)
        os._exit(0)
      connection.sendall(b"ok name=p\\n" if verb == "run" else b"ok\\n")
    """

  private let lull: Lull

  init() throws { lull = try Lull() }

  private func journal(of name: String) throws -> [String] {
    try lull.order("log name=\(name)").all(.entry).compactMap { $0["what"] }
  }

  @Test func `a keeper hands its command over where the ledger is lost`() throws {
    let pid = try lull.runDetached("p", ["sleep", "1000"])
    try lull.killBoth()
    try Files.unlink("\(lull.runtimeDirectory)/ledger")
    try lull.startAgain()
    try lull.journal().wait("returned", of: "p")
    #expect(try lull.field(.pids, of: "p") == "\(pid)")
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
  }

  @Test(arguments: [false, true])
  func `a command at its gate is handed to the next daemon as a start`(isDetached: Bool) throws {
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    let dying = try ConnectedChild(try Python.command(Self.dying, lull.socket))
    #expect(try dying.output.line() == "ready")
    let detach = isDetached ? ["--detach"] : []
    let run = try lull.start(
      ["run", "--name", "p"] + detach + ["--", "sh", "-c", "echo ran; exec sleep 1000"])
    #expect(try dying.end() == .exited(0))
    if isDetached { #expect(try run.end() == .exited(0)) } else { #expect(try run.output.line() == "ran") }
    #expect(try lull.state(of: "p") != "notRunning")
    let told = try journal(of: "p")
    #expect(told.contains("registered") && !told.contains("returned"), "\(told)")
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    if !isDetached { #expect(try run.end() == .signaled(Signal.terminate)) }
  }
}
