import LullSystem
import LullWire
import TestSupport
import Testing

/// docs/MEMORY.md: an installed program is purged only while it would come back.
@Suite(.bounded) struct PurgeOfInstalledTests {
  private let lull: Lull
  private let network: Network
  private let port: UInt16
  private var file: String { "\(lull.sandbox.directory)/config/lull/programs/server" }

  /// Greets each connection, on the socket that it was given or on one of its own.
  private static let server = """
    import os, socket, sys
    given = os.environ.get("LISTEN_FDS") == "1"
    listener = socket.socket(fileno=3) if given else socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", os.environ.get("LULL_LAUNCH_REASON", ""), flush=True)
    while True:
      with listener.accept()[0] as connection:
        connection.sendall(b"hello\\n")
    """

  init() throws {
    network = try Network()
    lull = try Lull(prefix: network.prefix)
    port = try network.freePort()
    _ = try lull.run("status")
  }

  private func install(_ options: String..., command: [String]? = nil) throws {
    let usual = try Python.command(Self.server, "\(port)")
    let words = ["install", "server"] + options + ["--"] + (command ?? usual)
    let install = try lull.start(words)
    let errors = try install.errors.untilEnd()
    try #require(try install.end() == .exited(0), "\(errors)")
    let log = try lull.follow("server")
    _ = try log.output.line { $0.hasPrefix("ready") }
  }

  private func refused(_ comment: Comment) throws {
    let purge = try lull.run("purge", "server")
    #expect(purge.status == .exited(1), comment)
    #expect(purge.errors.hasPrefix("lull: server cannot come back"), "\(purge.errors)")
    #expect(try lull.item(.program, of: "server")[.purgeable] == nil, comment)
  }

  @Test func `one that runs is killed, keeps its socket, and data launches it`() throws {
    try install("--keep-lines")
    let journal = try lull.journal()
    #expect(try lull.run("purge", "server").output == "server was purged\n")
    try journal.wait("lines-kept", of: "server")
    #expect(try network.connect(to: port).line() == "hello")
    try journal.wait("launched", of: "server", cause: "data")
  }

  @Test func `one whose lines are not kept is asked to end, and a link launches it again`() throws {
    try install("--purgeable", "--scheme", "soak")
    #expect(try lull.run("purge", "server").output == "server ended (SIGTERM)\n")
    #expect(try lull.run("open", "soak:1").status == .exited(0))
    try eventually("it was not launched") {
      try lull.run("logs", "server").output.hasSuffix("ready url\n")
    }
  }

  @Test(.tags(.badInput)) func `a file that somebody has taken away or broken saves its program`() throws {
    try install("--keep-lines")
    let text = try Kernel.text(file)
    try Files.unlink(file)
    try refused("the file is gone")
    try Kernel.write("--keep-lines\n--no-such-option\n" + text, to: file)
    try refused("the file has an error")
    try Kernel.write("--keep-lines\n-- /no/such/command\n", to: file)
    try refused("the command is gone")
    try Kernel.write(text, to: file)
    #expect(try lull.run("purge", "server").output == "server was purged\n")
  }
}
