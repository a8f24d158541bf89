import LullSystem
import LullWire
import TestSupport
import Testing

/// The kernel is to choose sleepers when it must kill, and those first that can come back.
@Suite(.bounded) struct OOMScoreTests {
  /// The engine's 10 s of sleep are a tenth of a second.
  private let stage: Stage
  private let port: UInt16
  private let old: Int

  init() throws {
    stage = try Stage(clockRate: 100)
    port = try stage.network.freePort()
    old = try OOMScore.value(of: Identity.pid())
    try #require(old + 800 < 1000, "the tests themselves are to be killed first: oom_score_adj \(old)")
  }

  /// Runs a server that sleeps; returns its process.
  private func server(_ options: [String] = []) throws -> Int32 {
    let command = try Python.command(LeftoverStage.server, "\(port)")
    try stage.runToSleep("server", command, options: options)
    return try #require(stage.pids(of: "server").first)
  }

  private func value(of pid: Int32, becomes value: Int) throws {
    try eventually("oom_score_adj is not \(value)") { try OOMScore.value(of: pid) == value }
  }

  private func wake() throws {
    #expect(try stage.network.connect(to: port).line() == "hello")
  }

  @Test func `it is raised in the sleep and put back at the wake`() throws {
    let pid = try server()
    try value(of: pid, becomes: old + 600)
    try wake()
    try value(of: pid, becomes: old)
    try value(of: pid, becomes: old + 600)
  }

  @Test func `it is higher for a program that can come back`() throws {
    try value(of: server(["--purgeable"]), becomes: old + 800)
  }

  /// The successor raises what it was, not what the daemon before it had made of it.
  @Test(.tags(.faults)) func `a killed lulld leaves nothing raised`() throws {
    let pid = try server()
    try value(of: pid, becomes: old + 600)
    try stage.lull.kill()
    try stage.lull.journal().waitForSleep(of: "server")
    try value(of: pid, becomes: old + 600)
    try wake()
    try value(of: pid, becomes: old)
  }

  @Test(.tags(.faults)) func `when guard and daemon are killed, lull run puts it back`() throws {
    let pid = try server()
    try value(of: pid, becomes: old + 600)
    try stage.lull.killBoth()
    try value(of: pid, becomes: old)
  }
}
