import Fuzzing
import LullEngine

/// The engine under the rules of the simulation. The first byte decides whether the rest are the choices of a
/// world, or events that no world would send.
func fuzzEngine(_ bytes: [UInt8]) throws(Flaw) {
  guard let kind = bytes.first else { return }
  if kind & 1 == 0 {
    try fuzzWorld(Array(bytes.dropFirst()))
  } else {
    try fuzzEvents(Array(bytes.dropFirst()))
  }
}

/// A small world, as long as there are bytes to choose by, to its empty end.
private func fuzzWorld(_ bytes: [UInt8]) throws(Flaw) {
  var chance = Chance(bytes: bytes)
  var scenario = Scenario.random(&chance)
  scenario.programs = 1 + chance.below(4)
  let world = World(scenario, chance: chance)
  do throws(Violation) {
    world.populate()
    while !world.chance.isSpent, world.steps < 300, try world.run(steps: world.steps + 1) {}
    try world.drain()
  } catch {
    throw Flaw("step \(world.steps), rule \(error.rule): \(error.what)\n\(world.trace.text)")
  }
}
