import LullSystem
import LullWire
import TestSupport
import Testing

/// python3-lull by Examples/python/echo.py: a client of the protocol that shares no code with the others.
@Suite(.bounded) struct PythonClientTests {
  private let lull: Lull
  private let journal: Journal
  private let port: UInt16
  private let echo: ConnectedChild

  init() throws {
    try Executables.require("python3", package: "python3-minimal")
    lull = try Lull()
    journal = try lull.journal()
    port = freePort()
    echo = try Self.start(port, environment: lull.environment)
  }

  private static func start(
    _ port: UInt16, _ example: String = "echo", environment: [String]
  ) throws -> ConnectedChild {
    let script = "\(ProtocolPage.root)/Examples/python/\(example).py"
    let echo = try ConnectedChild(
      ["python3", "-B", script, "\(port)"], environment: environment + [Python.library])
    let line = try echo.output.line()
    try demand(line == "ready", line)
    return echo
  }

  private func dial(_ port: UInt16) throws -> Channel {
    let box = DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port)))
    return Channel(box, name: "the connection to echo.py")
  }

  private func exchange(_ text: String, _ peer: Channel) throws {
    try peer.send("\(text)\n")
    #expect(try peer.line() == text)
  }

  @Test func `it sleeps, is woken by its lines, and serves on when lulld was killed`() throws {
    try journal.waitForSleep(of: "echo")
    let peer = try dial(port)
    try exchange("hello", peer)
    _ = try echo.output.line { $0 == "woken accept" }
    try journal.waitForSleep(of: "echo")
    try exchange("again", peer)
    _ = try echo.output.line { $0 == "woken data" }
    try journal.waitForSleep(of: "echo")
    try lull.kill()
    try exchange("without lulld, or with the next one", peer)
    let next = try lull.journal()
    try next.wait("line-held", of: "echo")
    try next.waitUntilAsleep("echo", lull)
    #expect(try lull.order("status name=echo").all(.keepalive).count == 1)
    try exchange("with the next one", peer)
    _ = try echo.output.line { $0 == "woken data" }
    try next.waitForSleep(of: "echo")
  }

  @Test func `its notification is answered, and its task keeps it awake`() throws {
    let peer = try dial(port)
    try exchange("notify", peer)
    try journal.waitUntilAsleep("echo", lull)
    let shown = try #require(try lull.order("notifications").all(.notification).first)
    #expect(shown[.body] == "Somebody wrote")
    try lull.order("answer notification=\(shown.string(.notification)) action=Answer")
    _ = try echo.output.line { $0 == "chosen Answer" }
    try exchange("task", peer)
    let why = try lull.order("why name=echo")
    #expect(why.all(.lease).contains { $0[.task] == "echo" }, "\(why)")
    try exchange("end", peer)
    try journal.wait("task-ended", of: "echo")
    try journal.waitUntilAsleep("echo", lull)
  }

  @Test func `on asyncio it sleeps, and is woken by its lines`() throws {
    let (lull, port) = (try Lull(), freePort())
    let journal = try lull.journal()
    let echo = try Self.start(port, "echo_aio", environment: lull.environment)
    try journal.waitForSleep(of: "echo")
    let peer = try dial(port)
    for text in ["hello", "again"] {
      try exchange(text, peer)
      try journal.waitUntilAsleep("echo", lull)
    }
    _ = try echo.output.line { $0 == "woken accept" }
    _ = try echo.output.line { $0 == "woken data" }
  }

  @Test func `it serves where there is no lulld`() throws {
    let port = freePort()
    let nowhere = ["LULL_RUNTIME_DIR=/nonexistent", "LULL_GUARD=/nonexistent"]
    let alone = try Self.start(port, environment: nowhere)
    let peer = Channel(DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port))), name: "echo.py")
    try exchange("hello", peer)
    #expect(try alone.isAlive)
  }
}
