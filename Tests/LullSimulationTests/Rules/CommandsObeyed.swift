import LullEngine

/// "Requests during a transition change the target; the transition runs to its end, then the opposite one
/// starts." A program between two messages is where it was last asked to be; a wake that was granted wakes.
final class CommandsObeyed: Rule {
  static let name = "commands-obeyed"
  private var sleeper: AppID?
  private var wasWoken = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    wasWoken = false
    guard case .transition(let app, .wake) = ledger.request, let record = ledger[app], record.isStaying else {
      return
    }
    if record.state == .background || record.state == .suspended { sleeper = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .woke(let app, let wake, _) = effect, app == sleeper else { return }
    if wake.reason == .operator { wasWoken = true }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let sleeper { try require(wasWoken, "\(sleeper) was to be woken and was not") }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, record.isLaunched, record.message == nil
      else {
        continue
      }
      let isThere =
        switch record.target {
        // Behind the lock or a call it is inactive there.
        case .foreground: record.state == .active || record.registration.speaks && record.state == .inactive
        case .background: record.state == .background || record.state == .suspended
        }
      try require(isThere, "\(snapshot.id) is to be in the \(record.target) and is \(record.state)")
    }
  }
}
