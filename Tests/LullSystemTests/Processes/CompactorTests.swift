import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded, .enabled(if: TestSwap.isPossible, "the machine has no swap, and none can be made"))
struct CompactorTests {
  /// A process with 32 MiB that are its own; it says `ready` and waits for its input.
  private static let program = """
    import os, sys
    memory = bytearray(os.urandom(4096) * 8192)
    print("ready", flush=True)
    for line in sys.stdin:
      print(sum(memory[::4096]) >= 0, flush=True)
    """

  private func start() throws -> ConnectedChild {
    let child = try ConnectedChild(["python3", "-c", Self.program])
    _ = try child.output.line { $0 == "ready" }
    return child
  }

  private func outcome(_ compactor: Compactor) throws -> Compactor.Outcome {
    try Deadline().wait(compactor.news, .readable, for: "the memory that is given back")
    let outcomes = compactor.takeOutcomes()
    try #require(outcomes.count == 1)
    return outcomes[0]
  }

  @Test func `memory goes, and what came back stays`() throws {
    let (swap, child, compactor) = (try TestSwap(), try start(), try Compactor())
    let program = compactor.program(7, reclaim: nil)
    try program.start([child.pid])
    let first = try outcome(compactor)
    #expect(first.id == 7 && !first.wasStopped && !first.isRefused)
    #expect(first.before > 32 << 20 && first.after < first.before / 2, "\(first)")
    try child.output.send("again\n")
    #expect(try child.output.line() == "True")
    try program.start([child.pid])
    let second = try outcome(compactor)
    #expect(second.after > 32 << 20, "\(second)")
    withExtendedLifetime(swap) {}
  }

  @Test func `whoever is stopped gives an outcome too`() throws {
    let (swap, child, compactor) = (try TestSwap(), try start(), try Compactor())
    let program = compactor.program(1, reclaim: nil)
    try program.start([child.pid])
    program.stop()
    #expect(try outcome(compactor).id == 1)
    try program.start([child.pid])
    #expect(try !outcome(compactor).wasStopped)
    withExtendedLifetime(swap) {}
  }

  @Test func `whoever is stopped forgets nothing of what came back`() throws {
    let (swap, child) = (try TestSwap(), try start())
    var histories: [PageHistory] = []
    try PageOut.run(child.pid, &histories) { false }
    try child.output.send("again\n")
    #expect(try child.output.line() == "True")
    for patience in [0, 1, 2, 40] {
      var asked = 0
      #expect(throws: PageOut.Halt.stopped) {
        try PageOut.run(child.pid, &histories) {
          asked += 1
          return asked > patience
        }
      }
    }
    try PageOut.run(child.pid, &histories) { false }
    #expect(histories.count == 1)
    #expect(try ProcessUsage.residentMemory(of: child.pid) > 32 << 20)
    withExtendedLifetime(swap) {}
  }

  @Test func `a program that is forgotten gives none`() throws {
    let (swap, child, compactor) = (try TestSwap(), try start(), try Compactor())
    do {
      let program = compactor.program(1, reclaim: nil)
      try program.start([child.pid])
    }
    let other = compactor.program(2, reclaim: nil)
    try other.start([child.pid])
    #expect(try outcome(compactor).id == 2)
    withExtendedLifetime(swap) {}
  }

  @Test func `a process that has ended has nothing to give`() throws {
    let compactor = try Compactor()
    let program = compactor.program(3, reclaim: nil)
    let child = try start()
    try child.signal(Signal.kill)
    try child.end()
    try program.start([child.pid])
    let outcome = try outcome(compactor)
    #expect((outcome.before, outcome.after) == (0, 0))
  }
}
