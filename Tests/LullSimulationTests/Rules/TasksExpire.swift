import LullEngine

/// "Expiration handlers 5 s before the end; a task still open at the end: killed." Each open task's handler
/// runs once per stay in the background, not before its time and not after the tick that falls due.
final class TasksExpire: Rule {
  static let name = "tasks-expire"

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .expire(let app, let id) = effect, let record = ledger[app] else { return }
    guard let task = record.tasks.first(where: { $0.id == id }) else {
      throw Violation(rule: Self.name, what: "\(app): \(id) expires and is not open")
    }
    try require(!task.isExpired, "\(app): \(id) expires twice")
    try require(record.expiry(ledger.policy) <= ledger.now, "\(app): \(id) expires too early")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard step.isTick else { return }
    for case let record? in ledger.records where record.expiry(ledger.policy) <= ledger.now {
      let isLeft = record.tasks.contains { !$0.isExpired }
      try require(!isLeft, "\(record.id): an expiration handler did not run")
    }
  }
}

extension Record {
  /// The moment at which the expiration handlers of the open tasks run.
  func expiry(_ policy: Policy) -> Moment {
    guard isStaying, !isHeld, !tasks.isEmpty, let stayEnds else { return .never }
    return stayEnds - policy.expirationLead
  }
}
