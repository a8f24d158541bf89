import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Commands that were started with `--keep-lines`: those that live on and do not take their sockets, and one
/// that does.
@Suite(.bounded) struct UntakenLineTests {
  private static let serve = """
    print("ready", flush=True)
    while True:
      with listening.accept()[0] as connection:
        connection.sendall(b"hello\\n")
    """

  /// Binds its port beside the socket that was kept.
  private static let beside = """
    import socket, sys
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listening.bind(("127.0.0.1", int(sys.argv[1])))
    listening.listen()

    """ + serve

  /// Tries to bind its port until it succeeds.
  private static let patient = """
    import socket, sys, time
    listening = None
    while not listening:
      try:
        listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      except OSError:
        time.sleep(0.3)

    """ + serve

  /// Takes the socket that was kept.
  private static let taking = """
    import os, socket, sys
    if os.environ.get("LISTEN_PID") == str(os.getpid()):
      listening = socket.socket(fileno=3)
    else:
      listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))

    """ + serve

  private let lull: Lull
  private let journal: Journal
  private let network: Network

  init() throws {
    network = try Network()
    lull = try Lull(prefix: network.prefix)
    journal = try lull.journal()
  }

  /// Starts a server detached; returned with its port when it serves.
  private func start(_ script: String, _ options: String...) throws -> UInt16 {
    let port = try network.freePort()
    let command = try Python.command(script, "\(port)")
    let words = ["run", "--detach", "--name", "server", "--keep-lines"] + options + ["--"] + command
    try #require(try lull.start(words, prefix: network.prefix).end() == .exited(0))
    try served(at: port)
    return port
  }

  private func served(at port: UInt16) throws {
    try eventually("nobody serves") { (try? network.connect(to: port).line()) == "hello" }
  }

  private func restart(_ options: String...) throws -> (status: ExitStatus, errors: String) {
    let restart = try lull.start(["restart"] + options + ["server"], prefix: network.prefix)
    let errors = try restart.errors.untilEnd()
    return (try restart.end(), errors)
  }

  private func told(by command: String) throws -> String {
    try lull.run(command, "server").output.replacing("\n", with: " ")
  }

  @Test(arguments: [beside, patient])
  func `one that lives on and does not take its socket is started once without it`(script: String) throws {
    let port = try start(script)
    let (status, errors) = try restart("--keep-lines")
    #expect(status == .exited(1))
    #expect(errors.contains("server did not take its lines, and is started without them"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    let untaken = try journal.wait("lines-untaken", of: "server")
    #expect(untaken["detail"] == "tcp-listen 127.0.0.1:\(port)", "\(untaken)")
    try journal.wait("launched", of: "server", cause: "crash")
    try served(at: port)
    for command in ["why", "status"] {
      let text = try told(by: command)
      #expect(text.contains("tcp-listen 127.0.0.1:\(port)"), "\(text)")
      #expect(text.contains("start it without --keep-lines"), "\(text)")
    }
    #expect(try restart().status == .exited(0))
    try served(at: port)
    #expect(try !told(by: "why").contains("--keep-lines"))
  }

  @Test func `one that takes its socket goes on`() throws {
    let port = try start(Self.taking)
    let (status, errors) = try restart("--keep-lines")
    #expect(status == .exited(0) && errors == "", "\(errors)")
    try served(at: port)
    let entries = try journal.entriesUpToNow().filter { $0["program"] == "server" }
    #expect(!entries.contains { $0["what"] == "lines-untaken" || $0["cause"] == "crash" }, "\(entries)")
    #expect(try !told(by: "why").contains("LISTEN_FDS"))
  }

  @Test(.tags(.faults)) func `one that is launched for a connection and leaves it alone lets it go`() throws {
    let port = try start(Self.patient, "--purgeable")
    try #require(try lull.run("purge", "server").status == .exited(0))
    try journal.wait("lines-kept", of: "server")
    let connection = try network.connect(to: port)
    try journal.wait("launched", of: "server", cause: "data")
    try journal.wait("lines-untaken", of: "server")
    #expect((try? connection.line()) == nil)
    try journal.wait("launched", of: "server", cause: "crash")
    try served(at: port)
  }
}
