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
