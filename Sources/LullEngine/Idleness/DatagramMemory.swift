/// The UDP sockets of a program: new sockets may belong to a query or to a call.
struct DatagramMemory: Sendable {
  /// The sockets that the program has opened since it last slept.
  struct Session: Sendable {
    /// The moment at which the last of them was first seen.
    let since: Moment?
  }

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

  /// True for a socket that was not open when the program last slept. Before the first sleep it is true for a
  /// socket with a peer, since servers have none.
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
