import LullSystem

/// Each chore of lull-guard has a moment of CLOCK_BOOTTIME and is done once.
final class Chores {
  enum Chore: CaseIterable {
    case start
    /// Continue a lulld that was stopped.
    case proceed
    /// Kill a lulld that was told to end.
    case kill
    case check
    /// Leave everything to the other guard of lulld.
    case yield
    /// Send again what could not be sent to lulld.
    case flush
  }

  private var due: [(chore: Chore, at: Int64)] = []

  func schedule(_ chore: Chore, after wait: Int64) {
    due.removeAll { $0.chore == chore }
    due.append((chore, Clock.boottime() + wait))
  }

  func isScheduled(_ chore: Chore) -> Bool { due.contains { $0.chore == chore } }

  func clear() { due = [] }

  var next: Int64? { due.map(\.at).min() }

  /// The next chore whose time has come, in the order of the cases.
  func takeDue() -> Chore? {
    let now = Clock.boottime()
    let ready = due.filter { $0.at <= now }.map(\.chore)
    guard let chore = Chore.allCases.first(where: ready.contains) else { return nil }
    due.removeAll { $0.chore == chore }
    return chore
  }
}
