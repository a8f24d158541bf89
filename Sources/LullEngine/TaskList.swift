/// The finite-length tasks of a program (Background Execution, "Executing Finite-Length Tasks").
struct TaskList: Sendable {
  struct Item: Sendable {
    let id: TaskID
    let name: String
    var isExpired = false
  }

  private(set) var items: [Item] = []
  /// The end of the time for this stay in the background; nil in the foreground, where there is no limit.
  private(set) var ends: Moment?

  var isEmpty: Bool { items.isEmpty }

  mutating func stayBegins(ending: Moment) { ends = ending }

  mutating func stayEnds() {
    ends = nil
    for index in items.indices { items[index].isExpired = false }
  }

  mutating func begin(_ id: TaskID, name: String) { items.append(Item(id: id, name: name)) }

  mutating func end(_ id: TaskID) -> Bool {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return false }
    items.remove(at: index)
    return true
  }

  mutating func clear() { items = [] }

  /// When the expiration handlers of open tasks are to run.
  func expiry(lead: Interval) -> Moment {
    guard let ends, items.contains(where: { !$0.isExpired }) else { return .never }
    return ends - lead
  }

  /// When the program is killed: every handler has run, and a task is open still.
  var limit: Moment {
    guard let ends, !items.isEmpty, items.allSatisfy(\.isExpired) else { return .never }
    return ends
  }

  /// The tasks whose expiration handler is to run now, each once. They have the whole lead even when it runs
  /// late.
  mutating func expire(now: Moment, lead: Interval) -> [TaskID] {
    guard let ends, now >= ends - lead else { return [] }
    var expired: [TaskID] = []
    for index in items.indices where !items[index].isExpired {
      items[index].isExpired = true
      expired.append(items[index].id)
    }
    if !expired.isEmpty { self.ends = max(ends, now + lead) }
    return expired
  }

  mutating func standStill(_ time: Interval) { ends = ends.map { $0 + time } }
}
