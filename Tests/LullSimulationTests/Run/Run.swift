import Glibc
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

/// The settings of the replay command.
enum Environment {
  /// `LULL_SEED=7`, or `LULL_SEED=1-5000` for a range; without it the seeds of the normal run.
  static func seeds(_ name: String = "LULL_SEED", usual: String = "1-100") -> [UInt64] {
    let parts = (value(name) ?? usual).split(separator: "-").compactMap { UInt64($0) }
    guard let first = parts.first, let last = parts.last, first <= last else { return [] }
    return Array(first...last)
  }

  /// `LULL_STEPS=10000`.
  static var steps: Int { value("LULL_STEPS").flatMap { Int($0) } ?? 10_000 }

  /// `LULL_MORTAL_LINES=4000`: the last steps that the failure of a mortal world tells.
  static var lines: Int { value("LULL_MORTAL_LINES").flatMap { Int($0) } ?? 60 }

  private static func value(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
