/// The owners of what is known of commands beside the programs that they are: the room for those to come,
/// the ends that nobody has heard of, and the commands that are not frozen any more.
final class Commands {
  let reservations: Reservations
  let exits: Exits
  let keepers: Keepers
  let mistakes: Mistakes
  private let maximumExempt: Int
  /// Installed programs that are not booted before somebody starts a program, or asks for the boot.
  private var laterBoots: [String] = []
  /// Commands that ended when they were frozen, by their words, oldest first.
  private var exempt: [String] = []

  init(_ services: SharedServices, maximumExempt: Int) {
    reservations = Reservations(services)
    keepers = Keepers(services)
    mistakes = Mistakes(services)
    (exits, self.maximumExempt) = (Exits(), maximumExempt)
  }

  func exempt(_ words: String) {
    guard !isExempt(words) else { return }
    if exempt.count == maximumExempt { exempt.removeFirst() }
    exempt.append(words)
  }

  func bootsLater(_ name: String) { laterBoots.append(name) }

  func takeLaterBoots() -> [String] {
    defer { laterBoots = [] }
    return laterBoots
  }

  func isExempt(_ words: String) -> Bool { exempt.contains(words) }
}
