import LullEngine

/// "Local notifications scheduled per program: 128." As many may wait for an answer. An active program gets
/// notifications quietly. Each is withdrawn once, also at the end of its program. No notification is late
/// after a tick.
final class NotificationCounts: Rule {
  static let name = "notification-counts"
  private var shown: [(id: NotificationID, app: AppID)] = []
  private var presented: NotificationID?
  private var chosen: NotificationID?
  private var isAnsweredWithdrawn = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    (presented, chosen, isAnsweredWithdrawn) = (nil, nil, false)
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    if case .present = ledger.request, case .notification(let id) = answer { presented = id }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, let app, _):
      try require(ledger[app]?.isStaying == true, "\(id) is shown for \(app), which is on its way out")
      if let record = ledger[app] {
        try require(
          record.state != .active || !record.registration.speaks, "\(id) is shown over its active program")
      }
      if id == presented {
        presented = nil
        chosen = nil
      }
      shown.removeAll { $0.id == id }
      shown.append((id, app))
      let count = shown.count { $0.app == app }
      try require(count <= ledger.policy.maximumNotifications, "\(app): \(count) notifications are shown")
    case .receive(let app, let id, _):
      if id == presented {
        presented = nil
        chosen = nil
      }
      try require(ledger[app]?.state == .active, "\(app) is not active and receives \(id) quietly")
    case .withdraw(let id):
      try require(shown.contains { $0.id == id }, "\(id) is withdrawn and was not shown")
      shown.removeAll { $0.id == id }
      if case .answer(id, _) = ledger.request { isAnsweredWithdrawn = true }
    case .action(let app, let id, let action, _):
      guard case .answer(id, action: action) = ledger.request else {
        throw Violation(rule: Self.name, what: "\(app) gets an action that nobody chose")
      }
      try require(action != "dismiss", "\(id): a dismissal is no action")
      chosen = id
    case .forget(let app):
      try require(!shown.contains { $0.app == app }, "\(app) ended and its notifications stay")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if case .answer(let id, let action) = step.input.request, case .done = step.answer {
      // It may be shown anew: its repeat may have fallen due since the last tick.
      try require(isAnsweredWithdrawn, "\(id) was answered and is still shown")
      try require(action == "dismiss" || chosen == id, "\(id): its program is not told of \(action)")
    }
    if let presented, let app = step.input.app, ledger[app]?.isStaying == true {
      try require(false, "\(presented) was accepted and is not shown")
    }
    guard step.isComplete else { return }
    try require(
      shown.count == step.notifications.count { $0.fires == nil }, "\(shown.count) notifications are shown")
    for notice in step.notifications {
      guard let fires = notice.fires else { continue }
      try require(ledger[notice.app] != nil, "\(notice.id) waits for a program that ended")
      try require(!step.isTick || fires > ledger.now, "\(notice.id) was due and is not shown")
    }
    let waiting = step.notifications.filter { $0.fires != nil }
    for snapshot in step.snapshots {
      let count = waiting.count { $0.app == snapshot.id }
      try require(
        count <= ledger.policy.maximumNotifications, "\(snapshot.id): \(count) notifications are scheduled")
    }
  }
}
