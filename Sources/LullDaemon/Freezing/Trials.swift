import LullEngine

/// First freezes of programs that a daemon before this one had: it may have died of one of them. They are
/// tried one at a time, so that the guard knows which program this daemon dies of; the others wait.
struct Trials {
  enum Turn {
    case free
    case first
    case later
  }

  private var untried: [AppID] = []
  private var current: AppID?
  private var later: [(id: AppID, ticket: Ticket)] = []

  mutating func expect(_ id: AppID) { untried.append(id) }

  mutating func turn(of id: AppID, _ ticket: Ticket) -> Turn {
    guard untried.contains(id) else { return .free }
    guard current == nil || current == id else {
      later.append((id, ticket))
      return .later
    }
    current = id
    return .first
  }

  var underWay: AppID? { current }

  mutating func finish(passed: Bool) {
    if passed { untried.removeAll { $0 == current } }
    current = nil
  }

  mutating func next() -> (id: AppID, ticket: Ticket)? {
    current == nil && !later.isEmpty ? later.removeFirst() : nil
  }

  mutating func forget(_ id: AppID) {
    untried.removeAll { $0 == id }
    if current == id { current = nil }
  }
}
