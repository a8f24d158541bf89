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
    var program: String
    var due: Due
    let repeats: Interval?
    /// A longer wait than this for a repeat is a clock that was wrong.
    let patience: Interval
    let first: Int64?
  }
  private var items: [Item] = []
  private var presented: NotificationID?
  private var givenUp: Set<String> = []
  private var names: [(app: AppID, name: String)] = []
  private var offset: Int64 = 0

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    switch event {
    case .wallClock(let offset):
      let isSetBack = Moment(nanoseconds: self.offset) - Moment(nanoseconds: offset) > .seconds(1)
      self.offset = offset
      if isSetBack { bringNearer(ledger.now) }
    default: break
    }
    (presented, givenUp) = (nil, [])
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.present, .notification(let id)): presented = id
    case (.schedule(let app, _, let date, let repeats), .notification(let id)):
      guard let name = name(of: app, ledger) else { return }
      let rhythm = repeats.map(interval)
      var due = due(date, ledger.now)
      if case .calendar = repeats { due = .wall((moment(due) + Interval(nanoseconds: offset)).nanoseconds) }
      let first: Int64? = if case .wall(let date) = due { date } else { nil }
      items.append(
        Item(id: id, program: name, due: due, repeats: rhythm, patience: patience(repeats), first: first))
    case (.cancel(let app, let id), .count(let count)):
      let name = name(of: app, ledger)
      let before = items.count
      items.removeAll { $0.program == name && (id == nil || $0.id == id) }
      // The notifications that are shown count as well.
      try require(before - items.count <= count, "\(count) cancelled, not \(before - items.count)")
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .show(let id, let program, let content):
      // Lull asks at any time.
      if content.otherAction == nil, !isShownAgain(id, of: program, ledger) { try shown(id, ledger) }
    case .receive(_, let id, _): try shown(id, ledger)
    case .giveUpLaunch(let name): givenUp.insert(name)
    case .note(let app?, .registered(let name)):
      if let place = names.firstIndex(where: { $0.app == app }) {
        let old = names.remove(at: place).name
        for index in items.indices where items[index].program == old { items[index].program = name }
      }
      names.append((app, name))
    default: break
    }
  }

  /// The worlds have UTC alone, in which every unit up to the week has one length.
  private func interval(_ repetition: Repetition) -> Interval {
    switch repetition {
    case .every(let interval): min(interval, Policy().longest)
    case .calendar(.minute, _): .seconds(60)
    case .calendar(.hour, _): .seconds(3600)
    case .calendar(.day, _): .seconds(86_400)
    case .calendar(_, _): .seconds(7 * 86_400)
    }
  }

  /// A day may have 25 hours, and two days differ by two clock changes.
  private func patience(_ repetition: Repetition?) -> Interval {
    switch repetition {
    case .calendar(.day, _): .seconds(49 * 3600)
    case .calendar(.week, _): .seconds(8 * 86_400)
    case nil: .zero
    case .some(let other): interval(other)
    }
  }

  /// The clock was set back: the next date is at most one repeat away, or the first one.
  private func bringNearer(_ now: Moment) {
    let wall = (now + Interval(nanoseconds: offset)).nanoseconds
    for index in items.indices {
      guard case .wall(let date) = items[index].due, let repeats = items[index].repeats,
        let first = items[index].first, date - wall > items[index].patience.nanoseconds
      else { continue }
      let steps = (date - wall - 1) / repeats.nanoseconds
      items[index].due = .wall(max(first, date - steps * repeats.nanoseconds))
    }
  }

  private func name(of app: AppID, _ ledger: Ledger) -> String? {
    names.last { $0.app == app }?.name ?? ledger[app]?.registration.name
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

  /// The notification was taken away for an answer that nobody could be told. A failed launch is a turn like
  /// any other: what is due is shown in it, too.
  private func isShownAgain(_ id: NotificationID, of program: String, _ ledger: Ledger) -> Bool {
    let hasFailed = if case .launchFailed(program, _) = ledger.request { true } else { false }
    guard hasFailed || givenUp.contains(program) else { return false }
    return !items.contains { $0.id == id && moment($0.due) <= ledger.now }
  }

  private func shown(_ id: NotificationID, _ ledger: Ledger) throws(Violation) {
    if id == presented { return presented = nil }
    guard let index = items.firstIndex(where: { $0.id == id }) else {
      // The title of a push.
      if case .announce = ledger.request { return }
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
    if case .answer(let id, action: "dismiss") = ledger.request, step.answer == .done,
      !step.effects.contains(.withdraw(id))
    {
      items.removeAll { $0.id == id }
    }
    guard step.isTick else { return }
    for item in items where moment(item.due) <= ledger.now {
      try require(false, "\(item.id) was due \((ledger.now - moment(item.due)).seconds) s ago")
    }
  }
}
