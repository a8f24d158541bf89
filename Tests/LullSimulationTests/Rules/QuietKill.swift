import LullEngine

/// "A suspended program gets no message before it is killed." A command knows of no messages, and is asked.
final class QuietKill: Rule {
  static let name = "quiet-kill"
  private var sleeper: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    guard case .transition(let app, .quit) = ledger.request, let record = ledger[app] else { return }
    if record.isHeld, record.isStaying, record.registration.speaks { sleeper = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let sleeper, effect.app == sleeper else { return }
    switch effect {
    case .thaw, .deliver, .woke, .terminate, .action, .open:
      try require(false, "\(sleeper) was asleep when it was quit and gets \(effect)")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let sleeper else { return }
    try require(ledger[sleeper]?.isKilled != false, "\(sleeper) was asleep when it was quit and lives on")
  }
}
