import LullEngine

/// "Local notifications scheduled per program: 128." As many may wait for an answer. An active program gets
/// notifications quietly. Each is withdrawn once; a call also at the end of its program. No notification is
/// late after a tick.
final class NotificationCounts: Rule {
  static let name = "notification-counts"
  private var shown: [(id: NotificationID, program: String, content: LocalNotification)] = []
  private var names: [(app: AppID, name: String)] = []
  private var presented: NotificationID?
  private var chosen: [NotificationID] = []
  /// The choices that programs were not awake for.
  private var untold: [(id: NotificationID, action: String)] = []
  /// The program of the notification that is answered, while it is withdrawn.
  private var answered: String?
  /// The notification that is answered is a question of Lull's own.
  private var wasQuestion = false
  /// The notification that is answered was shown.
  private var wasShown = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    (presented, chosen, answered) = (nil, [], nil)
    switch ledger.request {
    case .answer(let id, let action), .answerAtLaunch(let id, let action):
      untold.append((id, action))
      wasShown = shown.contains { $0.id == id }
    default: break
    }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    if case .present = ledger.request, case .notification(let id) = answer { presented = id }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, let program, let content):
      if let record = ledger.record(named: program), record.isStaying {
        let isInPlace = shown.contains { $0.id == id }
        try require(
          record.state != .active || !record.registration.speaks || content.isCall || isInPlace,
          "\(id) is shown over its active program")
      }
      if id == presented { presented = nil }
      shown.removeAll { $0.id == id }
      shown.append((id, program, content))
      let count = shown.count { $0.program == program && $0.content.otherAction == nil }
      try require(count <= ledger.policy.maximumNotifications, "\(program): \(count) notifications are shown")
    case .receive(let app, let id, _):
      if id == presented { presented = nil }
      try require(ledger[app]?.state == .active, "\(app) is not active and receives \(id) quietly")
    case .withdraw(let id):
      try require(shown.contains { $0.id == id }, "\(id) is withdrawn and was not shown")
      if case .answer(id, _) = ledger.request, let item = shown.first(where: { $0.id == id }) {
        (answered, wasQuestion) = (item.program, item.content.otherAction != nil)
      }
      shown.removeAll { $0.id == id }
    case .action(let app, let id, let action, _):
      guard let index = untold.firstIndex(where: { $0.id == id && $0.action == action }) else {
        throw Violation(rule: Self.name, what: "\(app) gets an action that nobody chose")
      }
      untold.remove(at: index)
      chosen.append(id)
    case .note(let app?, .exited), .note(let app?, .left):
      let name = names.last { $0.app == app }?.name ?? ledger[app]?.registration.name
      try require(
        !shown.contains { $0.content.isCall && $0.program == name }, "\(app) ended and its calls stay")
    case .note(let app?, .registered(let name)):
      if let place = names.firstIndex(where: { $0.app == app }) {
        let old = names.remove(at: place).name
        for index in shown.indices where shown[index].program == old { shown[index].program = name }
      }
      names.append((app, name))
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if case .answer(let id, let action) = step.input.request, case .done = step.answer {
      // A repeat of the notification may have fallen due since the last tick, so that it is shown anew.
      guard let answered else {
        // A notification that waits for its time can be dismissed as well.
        return try require(!wasShown && action == "dismiss", "\(id) was answered and is still shown")
      }
      // A program is told after its launch, and a command when it begins to speak.
      let owner = ledger.record(named: answered)
      let waits =
        wasQuestion || action == "dismiss" || owner?.isLaunched != true || owner?.registration.speaks != true
      try require(waits || chosen.contains(id), "\(id): its program is not told of \(action)")
    }
    if let presented, let app = step.input.app, ledger[app]?.isStaying == true {
      try require(false, "\(presented) was accepted and is not shown")
    }
    guard step.isComplete else { return }
    try require(
      shown.count == step.notifications.count { $0.fires == nil }, "\(shown.count) notifications are shown")
    for notice in step.notifications {
      guard let fires = notice.fires else { continue }
      try require(!step.isTick || fires > ledger.now, "\(notice.id) was due and is not shown")
    }
    for record in ledger.records {
      guard let record else { continue }
      let name = record.registration.name
      let count = step.notifications.count { $0.fires != nil && $0.program == name }
      try require(
        count <= ledger.policy.maximumNotifications, "\(name): \(count) notifications are scheduled")
    }
  }
}

extension Ledger {
  func record(named name: String) -> Record? {
    for record in records { if let record, record.registration.name == name { return record } }
    return nil
  }
}
