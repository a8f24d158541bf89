import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 300)) struct SimulationTests {
  /// The limit names the seed in which the engine itself does not come to an end.
  @Test(arguments: Environment.seeds())
  func `every rule holds in every step of a random world`(seed: UInt64) {
    let failure = Run(seed: seed, steps: Environment.steps).failure()
    if let failure { Issue.record(Comment(rawValue: failure)) }
  }

  @Test(arguments: [3, 20] as [UInt64])
  func `the same seed gives the same trace`(seed: UInt64) {
    let runs = [seed, seed, seed + 1].map { Run(seed: $0, steps: 3_000, isHashed: true) }
    for run in runs { #expect(run.failure() == nil) }
    #expect(runs[0].world.trace.hash == runs[1].world.trace.hash)
    #expect(runs[0].world.trace.hash != runs[2].world.trace.hash)
  }

  /// A rule that breaks at the first wake after step 500.
  private final class NoWakes: Rule {
    static let name = "no-wakes"
    private var steps = 0

    func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
      guard case .woke = effect, steps > 500 else { return }
      throw Violation(rule: Self.name, what: "\(effect)")
    }

    func end(_ step: Step, _ ledger: Ledger) throws(Violation) { steps += 1 }
  }

  @Test func `a run that breaks a rule says all that is needed to see it again`() throws {
    let failure = try #require(Run(seed: 3, steps: 3_000, rules: [NoWakes()]).failure())
    let lines = failure.split(separator: "\n")
    #expect(lines.first?.hasPrefix("seed 3, step ") == true)
    #expect(lines.first?.contains("rule no-wakes: woke(") == true)
    #expect(lines.last == "Replay: LULL_SEED=3 LULL_STEPS=3000 swift test --filter LullSimulationTests")
    #expect(lines.count { !$0.hasPrefix(" ") } == 40 + 2)
    #expect(Run(seed: 3, steps: 3_000, rules: [NoWakes()]).failure() == failure)
  }
}
