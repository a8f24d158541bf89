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

  @Test func `a program that never rests keeps to its part of a processor, and is free in the foreground`()
    throws
  {
    let lull = try Lull()
    try lull.detach(
      "busy", options: ["--mode", "voip", "--cpu", "10"], words: Python.command("while True: pass"))
    func isBounded() throws -> Bool {
      try lull.order("why name=busy").all(.note).contains { $0[.what] == "bounded" }
    }
    /// In nanoseconds.
    func used(in time: Int64) throws -> Int64 {
      let cgroup = try lull.cgroup(of: "busy")
      let (begin, before) = (Clock.boottime(), try cgroup.processorTime())
      try eventually("no time passes") { Clock.boottime() - begin > time }
      return try (cgroup.processorTime() - before) * time / (Clock.boottime() - begin)
    }
    try eventually("it is not bounded") { try isBounded() }
    #expect(try used(in: 2_000_000_000) < 1_000_000_000)
    try lull.order("foreground name=busy")
    #expect(try !isBounded())
    let cgroup = try lull.cgroup(of: "busy")
    try eventually("it is held") { try !cgroup.state().frozen && cgroup.processorTime() > 0 }
    #expect(try lull.run("quit", "busy").status == .exited(0))
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
