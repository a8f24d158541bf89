import LullChannel
import LullEngine
import LullInspect
import LullSystem

// The queues of listening sockets that are looked at before they wake their programs.
extension WakeSources {
  struct SeenQueue {
    let id: AppID
    let line: Slot
    let port: UInt16?
    /// Nil: nobody can tell who waits there.
    let queue: ConnectionQueue?
    /// Somebody has come since.
    let isStale: Bool
  }

  /// Looks who waits there. Returns false where nobody can tell, and where the rules ask for no look.
  func look(atQueueOf slot: Slot, by rules: CommandRules) -> Bool {
    guard let line = services.slots[slot], line.found?.isDisregarded == false,
      rules.looksAtQueue(line.description), let duplicate = line.duplicate
    else { return false }
    guard line.found?.queue.look == nil else {
      line.found?.queue.isStale = true
      return true
    }
    do {
      line.found?.queue.look = try services.queues.begin(slot, duplicate)
      return true
    } catch {
      return false
    }
  }

  /// A look of an earlier sleep is dropped: the program has taken those whom it has seen.
  func takeLooks() -> [SeenQueue] {
    services.queues.take().compactMap { (seen) -> SeenQueue? in
      guard let line = services.slots[seen.line], let queue = line.found?.queue, queue.look == seen.number
      else { return nil }
      line.found?.queue.look = nil
      line.found?.queue.isStale = false
      return SeenQueue(
        id: line.app, line: seen.line, port: line.description.localPort, queue: seen.queue,
        isStale: queue.isStale)
    }
  }

  func expect(_ count: Int, probesOn slot: Slot) { services.slots[slot]?.found?.queue.probes = count }

  func port(of line: LineID, _ id: AppID) -> UInt16? { lines(of: id).line(line)?.description.localPort }

  /// Takes the connections that were seen from the head of the queue; nil for any other line.
  func takeProbes(on line: LineID, of id: AppID) -> [DescriptorBox]? {
    guard let line = lines(of: id).line(line), let count = line.found?.queue.probes, count > 0,
      let duplicate = line.duplicate
    else { return nil }
    line.found?.queue.probes = 0
    lines(of: id).wake.awaitsThaw = false
    var taken: [DescriptorBox] = []
    // The socket may be one that blocks, and another program may have it too.
    while taken.count < count,
      services.journal.ignoring([], try Socket.poll(duplicate.raw, .readable, timeoutMilliseconds: 0))?
        .isEmpty == false
    {
      guard let next = try? Socket.accept(from: duplicate.raw) else { break }
      taken.append(DescriptorBox(next, closer: services.closer))
    }
    return taken
  }

  /// Looks once more where somebody has come since. Returns false where nobody can tell who.
  func lookAgain(atQueueOf line: LineID, _ id: AppID, by rules: CommandRules) -> Bool {
    guard let line = lines(of: id).line(line), let duplicate = line.duplicate,
      let queue = services.journal.ignoring([], try ListeningQueue(of: duplicate.raw)), queue.length > 0
    else { return true }
    return look(atQueueOf: line.slot, by: rules)
  }
}
