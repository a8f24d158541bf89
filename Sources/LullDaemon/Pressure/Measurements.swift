import LullChannel
import LullEngine
import LullSystem

/// Measures the memory of programs by a worker: the kernel walks through all pages of a process, and waits
/// for one that changes its mappings.
final class Measurements {
  enum Source: Sendable {
    case cgroup(path: String)
    case processes([Int32])

    fileprivate var processes: [Int32] {
      switch self {
      case .cgroup(let path): (try? Cgroup.open(at: path).allProcesses()) ?? []
      case .processes(let pids): pids
      }
    }
  }

  private let journal: Journal
  private let worker = Worker()
  private let found: Findings<[Int64]>
  private var running: (ticket: Ticket, ids: [AppID])?

  init(_ services: SharedServices) throws(SystemError) {
    journal = services.journal
    found = try Findings()
    _ = try services.reactor.add(found.news, .readable, as: .sizes)
  }

  /// Does nothing while the worker is at the programs before: the engine goes on without the answer then.
  func begin(_ programs: [(id: AppID, source: Source)], _ ticket: Ticket) {
    guard running == nil else { return }
    let sources = programs.map(\.source)
    let begun: Void? = journal.ignoring(
      [], try worker.perform { [found] in found.add(sources.map(Self.size)) })
    if begun != nil { running = (ticket, programs.map(\.id)) }
  }

  private static func size(_ source: Source) -> Int64 {
    source.processes.reduce(0) { sum, pid in sum + ((try? ProcessMemory.share(of: pid)) ?? 0) }
  }

  func takeAnswer() -> (ticket: Ticket, sizes: [MemorySize])? {
    guard let sizes = found.take().first, let (ticket, ids) = running.take() else { return nil }
    return (ticket, zip(ids, sizes).map { MemorySize($0, bytes: $1) })
  }
}
