import LullEngine
import Testing

/// One seed's run, from an empty world to an empty world.
struct Run {
  let world: World
  private let seed: UInt64
  private let steps: Int

  init(seed: UInt64, steps: Int, isHashed: Bool = false) {
    var chance = Chance(seed: seed)
    let scenario = Scenario.random(&chance)
    world = World(scenario, chance: chance, isHashed: isHashed)
    self.seed = seed
    self.steps = steps
  }

  /// Nil when every rule held; else all that is needed to find out why it did not.
  func failure() -> String? {
    do throws(Violation) {
      world.populate()
      try world.run(steps: steps)
      try world.drain()
      return nil
    } catch {
      return """
        seed \(seed), step \(world.steps), rule \(error.rule): \(error.what)
        \(world.trace.text)
        Replay: LULL_SEED=\(seed) LULL_STEPS=\(steps) swift test --filter LullSimulationTests
        """
    }
  }
}

@Suite struct SimulationTests {
  @Test(arguments: Environment.seeds)
  func `every rule holds in every step of a random world`(seed: UInt64) {
    if let failure = Run(seed: seed, steps: Environment.steps).failure() {
      Issue.record(Comment(rawValue: failure))
    }
  }

  @Test(arguments: [3, 20] as [UInt64])
  func `the same seed gives the same trace`(seed: UInt64) {
    let runs = (0..<2).map { _ in Run(seed: seed, steps: 5_000, isHashed: true) }
    for run in runs { #expect(run.failure() == nil) }
    #expect(runs[0].world.trace.hash == runs[1].world.trace.hash)
    let other = Run(seed: seed + 1, steps: 5_000, isHashed: true)
    #expect(other.failure() == nil)
    #expect(other.world.trace.hash != runs[0].world.trace.hash)
  }
}
