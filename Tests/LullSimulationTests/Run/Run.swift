import LullEngine

/// One seed's run, from an empty world to an empty world.
struct Run {
  let world: World
  private let seed: UInt64
  private let steps: Int

  init(seed: UInt64, steps: Int, isHashed: Bool = false, rules: [any Rule] = Referee.allRules) {
    var chance = Chance(seed: seed)
    let scenario = Scenario.random(&chance)
    world = World(scenario, chance: chance, isHashed: isHashed, rules: rules)
    self.seed = seed
    self.steps = steps
  }

  /// nil when every rule held; else all that is needed to find out why a rule did not hold.
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
