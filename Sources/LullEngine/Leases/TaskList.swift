/// The finite-length tasks of a program (Background Execution, "Executing Finite-Length Tasks").
struct TaskList: Sendable {
  struct Item: Sendable {
    let id: TaskID
    let name: String
    var isExpired = false
  }

  private enum Clock: Sendable {
    case unlimited
    case running(ends: Moment)
    /// Sound keeps the program awake; the clock stands still.
    case stopped(left: Interval)
  }

  private(set) var items: [Item] = []
  private var clock = Clock.unlimited

  var isEmpty: Bool { items.isEmpty }

  var isUnlimited: Bool { if case .unlimited = clock { true } else { false } }
  var ends: Moment? { if case .running(let ends) = clock { ends } else { nil } }

  func remaining(at now: Moment) -> Interval? {
    switch clock {
    case .unlimited: nil
    case .running(let ends): max(.zero, ends - now)
    case .stopped(let left): left
    }
  }

  mutating func stayBegins(ending: Moment) { clock = .running(ends: ending) }

  mutating func stand(_ isHeld: Bool, at now: Moment) {
    switch clock {
    case .running(let ends) where isHeld: clock = .stopped(left: max(.zero, ends - now))
    case .stopped(let left) where !isHeld: clock = .running(ends: now + left)
    case .unlimited, .running, .stopped: break
    }
  }

  mutating func stayEnds() {
    clock = .unlimited
    for index in items.indices { items[index].isExpired = false }
  }

  mutating func begin(_ id: TaskID, name: String) { items.append(Item(id: id, name: name)) }

  mutating func end(_ id: TaskID) -> Bool {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return false }
    items.remove(at: index)
    return true
  }

  mutating func clear() { items = [] }

  func expiry(lead: Interval) -> Moment {
    guard let ends, items.contains(where: { !$0.isExpired }) else { return .never }
    return ends - lead
  }

  /// The program is killed when every handler has run and a task is still open.
  var limit: Moment {
    guard let ends, !items.isEmpty, items.allSatisfy(\.isExpired) else { return .never }
    return ends
  }

  /// The tasks have the whole lead even when the handler runs late.
  mutating func expire(now: Moment, lead: Interval) -> [TaskID] {
    guard let ends, now >= ends - lead else { return [] }
    var expired: [TaskID] = []
    for index in items.indices where !items[index].isExpired {
      items[index].isExpired = true
      expired.append(items[index].id)
    }
    if !expired.isEmpty { clock = .running(ends: max(ends, now + lead)) }
    return expired
  }

  mutating func standStill(_ time: Interval) {
    if case .running(let ends) = clock { clock = .running(ends: ends + time) }
  }
}
