/// The queries of a program on the library, such as for a name: threads that wait, with a time-out, for a
/// datagram socket that the program does not hold as a line. An answer would not wake it.
struct QueryMemory: Sendable {
  /// The sockets that were waited for when the program last slept, and at the last observation.
  private var settled: [UInt64] = [], seen: [UInt64] = []
  /// The moment at which a new socket was first seen.
  private var since: Moment?

  mutating func slept() { (settled, since) = (seen, nil) }

  /// A query is over when no thread waits for its answer any more. A thread that always waits so, as on a
  /// socket for media, holds its program awake only once.
  mutating func due(_ observation: Observation, at now: Moment, policy: Policy) -> Finding? {
    seen = observation.threads.filter { ($0.timeOut ?? .zero) <= policy.queryTime }.compactMap(\.query)
    guard seen.contains(where: { !settled.contains($0) }) else {
      since = nil
      return nil
    }
    let since = since ?? now
    self.since = since
    return now - since < policy.queryTime ? .busy(.query, .none) : nil
  }
}
