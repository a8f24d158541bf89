import LullSystem
import LullWire
import TestSupport
import Testing

/// A program in the background gets a smaller share of the processor, and in the foreground what it had.
@Suite(.bounded) struct WeightTests {
  /// The share of a program: the weight of its cgroup where the controller is enabled, else its nice value.
  private func share(_ stage: Stage) throws -> (nice: Int32, weight: Int?) {
    let pid = try #require(try stage.pids(of: "server").first)
    return (try NiceValue.of(pid), try stage.lull.cgroup(of: "server").weight(.processor))
  }

  @Test func `a program gets its own share back in the foreground`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("server", ["nice", "-n", "3"] + Python.command(LeftoverStage.server, "\(port)"))
    let low = try share(stage)
    if let weight = low.weight { #expect(weight == 33) } else { #expect(low.nice == 8) }
    try stage.lull.order("foreground name=server")
    let full = try share(stage)
    #expect(full.nice == 3)
    #expect(full.weight ?? 100 == 100)
    try stage.lull.order("background name=server")
    #expect(try share(stage) == low)
  }

  @Test func `what a program used of the processor stands in its status`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("server", Python.command(LeftoverStage.server, "\(port)"))
    let used = try #require(Double(try stage.lull.field(.processorSeconds, of: "server")))
    #expect(used > 0)
    try stage.lull.order("wake name=server")
    try stage.journal.waitForSleep(of: "server")
    let last = try #require(Double(try stage.lull.field(.wakeProcessorSeconds, of: "server")))
    #expect(last >= 0 && last < used)
  }
}
