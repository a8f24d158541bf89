/// The programs for which the machine must stay up: one that handles a wake, a keep-alive or a call would
/// lose it to a machine that falls asleep.
struct MachineHold: Sendable {
  private var holds: [Bool] = []
  private(set) var count = 0

  mutating func set(_ slot: Int, _ isHeld: Bool) {
    while holds.count <= slot { holds.append(false) }
    guard holds[slot] != isHeld else { return }
    holds[slot] = isHeld
    count += isHeld ? 1 : -1
  }
}
