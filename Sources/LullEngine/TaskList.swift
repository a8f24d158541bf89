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

  /// The next moment at which something is due: the expiration handlers, then the end.
  func deadline(lead: Interval) -> Moment {
    guard let ends, !items.isEmpty else { return .never }
    return items.contains { !$0.isExpired } ? ends - lead : ends
  }

  /// The tasks whose expiration handler is to run now, each once.
  mutating func expire(now: Moment, lead: Interval) -> [TaskID] {
    guard let ends, now >= ends - lead else { return [] }
    var expired: [TaskID] = []
    for index in items.indices where !items[index].isExpired {
      items[index].isExpired = true
      expired.append(items[index].id)
    }
    return expired
  }
}
