import LullSystem
import LullWire
import TestSupport
import Testing

/// The memory of sleepers goes to swap, and comes back with the wake.
@Suite(.bounded, .enabled(if: TestSwap.isPossible, "the machine has no swap, and none can be made"))
struct MemoryCompactionTests {
  /// A server with 100 MiB, which answers each connection out of them.
  private static let server = """
    import os, socket, sys
    memory = bytearray(os.urandom(4096) * 25600)
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while True:
      connection, _ = listener.accept()
      with connection:
        connection.sendall(b"%d\\n" % sum(memory[:2560 * 4096:4096]))
    """

  private func number(_ key: Key, of program: String, _ stage: Stage) throws -> UInt64 {
    try #require(UInt64(try stage.lull.field(key, of: program)))
  }

  @Test func `a sleeper keeps a tenth of its memory, answers, and keeps what came back`() throws {
    let swap = try TestSwap()
    let stage = try Stage(clockRate: 20)
    let port = try stage.network.freePort()
    try stage.runToSleep("server", Python.command(Self.server, "\(port)"))
    try stage.journal.wait("compacted", of: "server")
    let before = try number(.residentBefore, of: "server", stage)
    let after = try number(.residentAfter, of: "server", stage)
    #expect(before > 100 << 20 && after * 10 <= before, "\(before) to \(after)")
    let answer = try stage.network.connect(to: port).line()
    #expect(UInt64(answer) != nil)
    try stage.journal.wait("woke", of: "server", cause: "accept")
    try stage.journal.waitForSleep(of: "server")
    #expect(try number(.resident, of: "server", stage) >= after + 9 << 20)
    #expect(try stage.lull.run("status", "server").output.contains("(was 1"))
    withExtendedLifetime(swap) {}
  }

  @Test func `a program that is left out keeps its memory over a restart of the daemon`() throws {
    let swap = try TestSwap()
    let stage = try Stage(clockRate: 20)
    let port = try stage.network.freePort()
    try stage.runToSleep(
      "kept", Python.command(Self.server, "\(port)"), options: ["--no-compact"])
    #expect(try stage.lull.field(.noCompact, of: "kept") == "true")
    try stage.lull.kill()
    let journal = try stage.lull.journal()
    try journal.waitForSleep(of: "kept")
    #expect(try stage.lull.field(.noCompact, of: "kept") == "true")
    let other = try stage.run("other", Python.command(Self.server, "\(stage.network.freePort())"))
    _ = try other.output.line { $0 == "ready" }
    // It fell asleep later.
    try journal.wait("compacted", of: "other")
    let item = try stage.lull.item(.program, of: "kept")
    #expect(item[.residentBefore] == nil)
    #expect(try number(.resident, of: "kept", stage) > 100 << 20)
    withExtendedLifetime(swap) {}
  }
}
