import LullChannel
import LullEngine
import LullSystem

/// The looks at queues of listening sockets, by a worker: for each one the kernel goes through all
/// connections of the machine.
final class QueueLooks {
  struct Seen {
    let line: Slot
    let number: UInt64
    /// Nil: nobody can tell who waits there.
    let queue: ConnectionQueue?
  }

  private struct Look {
    let line: Slot
    let queue: ListeningQueue
    /// Open for the worker.
    let space: DescriptorBox?
  }

  private let reactor: DaemonReactor
  private let worker = Worker()
  private var found: Findings<(number: UInt64, peers: [HostAddress]?)>?
  private var looks: [UInt64: Look] = [:]
  private var last: UInt64 = 0

  init(_ reactor: DaemonReactor) { self.reactor = reactor }

  /// The number of the look. Its error says why nobody can tell who waits there.
  func begin(_ line: Slot, _ duplicate: DescriptorBox) throws(SystemError) -> UInt64 {
    let found = try findings()
    // Before the peers: whoever comes meanwhile is listed, and not counted.
    let queue = try ListeningQueue(of: duplicate.raw)
    let (place, space) = try QueuePlace.of(duplicate.raw)
    last += 1
    let (number, raw) = (last, space?.raw)
    try worker.perform { found.add((number, try? place.peers(space: raw))) }
    looks[number] = Look(line: line, queue: queue, space: space)
    return number
  }

  private func findings() throws(SystemError) -> Findings<(number: UInt64, peers: [HostAddress]?)> {
    if let found { return found }
    let found = try Findings<(number: UInt64, peers: [HostAddress]?)>()
    _ = try reactor.add(found.news, .readable, as: .queues)
    self.found = found
    return found
  }

  func take() -> [Seen] {
    (found?.take() ?? []).compactMap { number, peers in
      guard let look = looks.removeValue(forKey: number) else { return nil }
      let queue = peers.map { peers in
        ConnectionQueue(length: look.queue.length, limit: look.queue.limit, peers: peers.map(\.bytes))
      }
      return Seen(line: look.line, number: number, queue: queue)
    }
  }
}
