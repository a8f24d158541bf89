import LullSystem
import LullWire
import TestSupport
import Testing

/// docs/MEMORY.md: `lull purge`, which does by hand what short memory does.
@Suite(.bounded) struct PurgeTests {
  /// A server that sleeps until somebody connects.
  private static let server = """
    import socket
    listener = socket.create_server(("127.0.0.1", 0))
    print("ready", flush=True)
    listener.accept()
    """

  @Test func `a program that would be lost is refused, with what to do`() throws {
    let lull = try Lull()
    try lull.detach("a")
    let purge = try lull.run("purge", "a")
    #expect(purge.status == .exited(1))
    #expect(
      purge.errors
        == "lull: a cannot come back: \"lull install\" it with --keep-lines, or allow that it ends with "
        + "--purgeable; if it has one of them, \"lull list\" tells the error in its file\n")
    #expect(try lull.state(of: "a") == "active")
    try lull.detach("b")
    let errors = try lull.run("purge", "a", "b").errors.split(separator: "\n")
    #expect(
      errors.map { $0.prefix { $0 != "," } }
        == ["a", "b"].map { name in
          "lull: \(name) cannot come back: \"lull install\" it with --keep-lines"
        })
  }

  @Test func `a program on the library is told what is true for it`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let phone = try lull.startPhone(netcat)
    _ = try netcat.line.line()
    #expect(
      try lull.run("purge", "phone").errors
        == "lull: phone cannot come back: \"lull install\" it, or allow that it ends with --purgeable; if it "
        + "has one of them, \"lull list\" tells the error in its file\n")
    #expect(try lull.run("quit", "--now", "phone").status == .exited(0))
    try phone.end()
  }

  @Test func `a sleeper is killed without a word, and the next of its name tells of it`() throws {
    let stage = try Stage()
    let command = try Python.command(Self.server)
    let run = try stage.runToSleep("spare", command, options: ["--purgeable"])
    #expect(try stage.lull.run("purge", "spare").output == "spare was purged\n")
    #expect(try run.end() == .signaled(Signal.kill))
    try stage.journal.wait("purged", of: "spare")
    try stage.journal.wait("killed", of: "spare", cause: "purged")
    try stage.runToSleep("spare", command, options: ["--purgeable"])
    #expect(try stage.lull.item(.purge, of: "spare")[.count] == "1")
  }
}
