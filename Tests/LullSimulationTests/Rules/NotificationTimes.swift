import LullEngine

/// A scheduled notification is shown at its date and not before, follows the wall clock when the clock is set
/// (`UILocalNotification.fireDate`), comes again after its repeat interval, and does not come once it was
/// cancelled.
final class NotificationTimes: Rule {
  static let name = "notification-times"

  private enum Due {
    case wall(Int64)
    case engine(Moment)
  }
  private struct Item {
    let id: NotificationID
    let app: AppID
    var due: Due
    let repeats: Interval?
  }
  private var items: [Item] = []
  private var offset: Int64 = 0

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    switch event {
    case .wallClock(let offset): self.offset = offset
    case .leave(let app): items.removeAll { $0.app == app }
    default: break
    }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.schedule(let app, _, let date, let repeats), .notification(let id)):
      items.append(Item(id: id, app: app, due: due(date, ledger.now), repeats: repeats))
    case (.cancel(let app, let id), .count(let count)):
      let before = items.count
      items.removeAll { $0.app == app && (id == nil || $0.id == id) }
      try require(before - items.count == count, "\(count) cancelled, not \(before - items.count)")
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, _, _), .receive(_, let id, _): try shown(id, ledger)
    case .forget(let app): items.removeAll { $0.app == app }
    default: break
    }
  }

  private func due(_ date: FireDate, _ now: Moment) -> Due {
    switch date {
    case .wall(let nanoseconds): .wall(nanoseconds)
    case .after(let interval): .engine(now + interval)
    }
  }

  private func moment(_ due: Due) -> Moment {
    switch due {
    case .wall(let nanoseconds): Moment(nanoseconds: nanoseconds) + Interval(nanoseconds: 0 &- offset)
    case .engine(let moment): moment
    }
  }

  private func shown(_ id: NotificationID, _ ledger: Ledger) throws(Violation) {
    guard let index = items.firstIndex(where: { $0.id == id }) else {
      if case .present = ledger.request { return }
      throw Violation(rule: Self.name, what: "\(id) is shown and was not scheduled, or cancelled")
    }
    let item = items[index]
    let fires = moment(item.due)
    try require(fires <= ledger.now, "\(id) is shown \((fires - ledger.now).seconds) s before its time")
    guard let repeats = item.repeats else { items.remove(at: index); return }
    let wait = repeats.scaled(by: (ledger.now - fires).nanoseconds / repeats.nanoseconds + 1)
    switch item.due {
    case .wall(let nanoseconds):
      items[index].due = .wall((Moment(nanoseconds: nanoseconds) + wait).nanoseconds)
    case .engine(let moment): items[index].due = .engine(moment + wait)
    }
    // Past the ends of the numbers there is no next time.
    if moment(items[index].due) <= ledger.now { items.remove(at: index) }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    // A notification that falls due for a program on its way out is not shown any more.
    items.removeAll { moment($0.due) <= ledger.now && ledger[$0.app]?.isStaying != true }
    guard step.isTick else { return }
    for item in items where moment(item.due) <= ledger.now {
      try require(false, "\(item.id) was due \((ledger.now - moment(item.due)).seconds) s ago")
    }
  }
}
