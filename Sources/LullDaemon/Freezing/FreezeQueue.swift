import LullEngine
import LullSystem

/// A step of a freeze that waits for the end of the turn. Thaws, answers and notices go first. A freeze reads
/// the last requests of the program, which must not come between an earlier request and its answer.
enum FreezeStep {
  case begin(AppID, Ticket)
  case confirm(AppID, Ticket)

  var program: AppID {
    switch self {
    case .begin(let id, _), .confirm(let id, _): id
    }
  }
}

struct FreezeQueue {
  static let firstRecheck: Int64 = 250_000
  private static let lastRecheck: Int64 = 4_000_000

  private var steps: [FreezeStep] = []
  /// The kernel has not confirmed these freezes yet; `at` is the moment of the next read.
  private var rechecks: [(at: Int64, id: AppID, ticket: Ticket)] = []
  /// Looks, observations and watches that go on in the next turn.
  private var putOff: [(id: AppID, ticket: Ticket)] = []

  var isEmpty: Bool { steps.isEmpty && putOff.isEmpty }

  mutating func add(_ step: FreezeStep) { steps.append(step) }

  /// A nil `id` stands for any program.
  mutating func nextStep(of id: AppID?) -> FreezeStep? {
    guard let index = steps.firstIndex(where: { id == nil || $0.program == id }) else { return nil }
    return steps.remove(at: index)
  }

  /// Returns the wait before the read after this one, in nanoseconds.
  mutating func recheck(_ id: AppID, _ ticket: Ticket, after wait: Int64) -> Int64 {
    rechecks.append((Clock.boottime() + wait, id, ticket))
    return min(2 * wait, Self.lastRecheck)
  }

  var nextRecheck: Int64? { rechecks.map(\.at).min() }

  mutating func recheckDue() {
    let now = Clock.boottime()
    for (at, id, ticket) in rechecks where at <= now { steps.append(.confirm(id, ticket)) }
    rechecks.removeAll { $0.at <= now }
  }

  var putOffCount: Int { putOff.count }

  mutating func putOff(_ id: AppID, _ ticket: Ticket) { putOff.append((id, ticket)) }

  mutating func nextPutOff() -> (id: AppID, ticket: Ticket)? { putOff.isEmpty ? nil : putOff.removeFirst() }

  mutating func takePutOff(_ id: AppID) -> Bool {
    let count = putOff.count
    putOff.removeAll { $0.id == id }
    return putOff.count < count
  }
}

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
