/// The UDP sockets of a program: a new one may belong to a query or to a call.
struct DatagramMemory: Sendable {
  /// The sockets that the program has opened since it last slept; the last of them was first seen at `since`.
  struct Session: Sendable { let since: Moment? }

  private var queries = TimeOutMemory()
  /// The sockets that were open when the program last slept, and those of the last observation.
  private var settled = SortedLines(), seen = SortedLines()
  private var sessionSince: Moment?
  private var hasSlept = false

  mutating func slept() {
    hasSlept = true
    queries.slept()
    settled = seen
  }

  mutating func wasFrozen(for time: Interval) { queries.wasFrozen(for: time) }

  mutating func standStill(_ time: Interval) {
    wasFrozen(for: time)
    sessionSince = sessionSince.map { $0 + time }
  }

  mutating func see(_ observation: Observation, at now: Moment) {
    let open = observation.sources.filter(\.isDatagram)
    let isOpened = open.contains { source in
      isNew(source) && source.line.map(seen.contains) != true
    }
    if hasSlept, isOpened { sessionSince = now }
    seen = SortedLines(open.compactMap(\.line))
  }

  func session(in observation: Observation) -> Session? {
    hasSlept && observation.sources.contains { isNew($0) } ? Session(since: sessionSince) : nil
  }

  /// A socket is new when it was not open as the program last slept. Before the first sleep a socket with a
  /// peer is new, since servers have none.
  private func isNew(_ source: WakeSource) -> Bool {
    guard case .udp(let hasPeer) = source.transport, let line = source.line, source.reach == .outside else {
      return false
    }
    return hasSlept ? !settled.contains(line) : hasPeer
  }

  /// The first time-out of a query over a new UDP socket must run out. The query may be lost, and only the
  /// end of the time-out sends it again.
  mutating func queryDue(_ observation: Observation, at now: Moment, policy: Policy) -> Finding? {
    let open = observation.sources.filter { isNew($0) }.compactMap(\.line)
    let waits = observation.threads.filter { $0.wait == .sources }
    guard
      let (line, left) = queries.running(
        for: open, among: waits, upTo: policy.queryTime, at: now, policy: policy)
    else { return nil }
    return .busy(.query, .query(line, left), retryAfter: left)
  }
}

/// The queries of a program on the library, such as for a name: threads that wait, with a time-out, for a
/// datagram socket that the program does not hold as a line. An answer there would not wake the program.
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
