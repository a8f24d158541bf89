import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A command that was started with `--keep-lines`, lives on and does not take its socket.
@Suite(.bounded) struct UntakenLineTests {
  /// Tries to bind its port until it succeeds.
  private static let patient = """
    import socket, sys, time
    listening = None
    while not listening:
      try:
        listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      except OSError:
        time.sleep(0.3)
    while True:
      with listening.accept()[0] as connection:
        connection.sendall(b"hello\\n")
    """

  private let lull: Lull
  private let network: Network
  private let port: UInt16

  init() throws {
    network = try Network()
    lull = try Lull(prefix: network.prefix)
    port = try network.freePort()
  }

  private func run(_ words: [String]) throws -> (status: ExitStatus, errors: String) {
    let child = try lull.start(words, prefix: network.prefix)
    let errors = try child.errors.untilEnd()
    return (try child.end(), errors)
  }

  private func served() throws {
    try eventually("nobody serves") { (try? network.connect(to: port).line()) == "hello" }
  }

  private func told(by command: String) throws -> String {
    try lull.run(command, "server").output.replacing("\n", with: " ")
  }

  @Test func `it is started once without it`() throws {
    let journal = try lull.journal()
    let command = try Python.command(Self.patient, "\(port)")
    let start = try run(["run", "--detach", "--name", "server", "--keep-lines", "--"] + command)
    try #require(start.status == .exited(0))
    try served()
    let (status, errors) = try run(["restart", "--keep-lines", "server"])
    #expect(status == .exited(1))
    #expect(errors.contains("server did not take its lines, and is started without them"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    let untaken = try journal.wait("lines-untaken", of: "server")
    #expect(untaken["detail"] == "tcp-listen 127.0.0.1:\(port)", "\(untaken)")
    try journal.wait("launched", of: "server", cause: "crash")
    try served()
    for command in ["why", "status"] {
      let text = try told(by: command)
      #expect(text.contains("tcp-listen 127.0.0.1:\(port)"), "\(text)")
      #expect(text.contains("start it without --keep-lines"), "\(text)")
    }
    #expect(try run(["restart", "server"]).status == .exited(0))
    try served()
    #expect(try !told(by: "why").contains("--keep-lines"))
  }
}
