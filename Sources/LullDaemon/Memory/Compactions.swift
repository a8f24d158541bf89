import LullChannel
import LullEngine
import LullSystem

/// The memory of sleepers that is given back, one program after the other, by a worker for which the loop
/// never waits.
final class Compactions {
  private struct Record {
    let program: Compactor.Program
    var ticket: Ticket?
  }

  /// In bytes of free swap.
  private static let leastRoom: UInt64 = 1 << 20

  private let compactor: Compactor
  private var records = AppTable<Record>()
  /// True when the kernel allowed it for no process of the last program.
  private(set) var lacksRights = false

  init(_ reactor: DaemonReactor) throws(SystemError) {
    compactor = try Compactor()
    _ = try reactor.add(compactor.news, .readable, as: .compactor)
  }

  static var hasRoom: Bool { ((try? SwapSpace.current())?.free ?? 0) >= leastRoom }

  /// Returns the result when there is nothing to wait for.
  func begin(_ id: AppID, _ ticket: Ticket, processes: [Int32], cgroup: String?) -> Event? {
    guard Self.hasRoom else { return .compacted(id, ticket, .refused) }
    do {
      var record = records[id] ?? Record(program: compactor.program(id.packed, reclaim: cgroup))
      try record.program.start(processes)
      record.ticket = ticket
      records[id] = record
      return nil
    } catch {
      // The result of the last time is still on its way, or there is no thread: the next sleep tries again.
      return .compacted(id, ticket, .stopped)
    }
  }

  func stop(_ id: AppID) { if let record = records[id], record.ticket != nil { record.program.stop() } }

  func takeOutcomes() -> [Event] {
    compactor.takeOutcomes().compactMap { outcome in
      let id = AppID(packed: outcome.id)
      guard let ticket = records.update(id, { $0.ticket.take() }) ?? nil else { return nil }
      if !outcome.wasStopped { lacksRights = outcome.isRefused }
      let result: CompactionResult =
        outcome.wasStopped
        ? .stopped
        : outcome.isRefused ? .refused : .done(before: outcome.before, after: outcome.after)
      return .compacted(id, ticket, result)
    }
  }

  func forget(_ id: AppID) { records[id] = nil }
}

extension AppID {
  fileprivate var packed: UInt64 { UInt64(slot) << 32 | UInt64(generation) }

  fileprivate init(packed: UInt64) {
    self.init(slot: UInt32(packed >> 32), generation: UInt32(truncatingIfNeeded: packed))
  }
}
