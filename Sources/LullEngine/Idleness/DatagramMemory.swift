/// The UDP sockets of a program: new sockets may belong to a query or to a call.
struct DatagramMemory: Sendable {
  /// The sockets that the program has opened since it last slept.
  struct Session: Sendable {
    /// The moment at which the last of them was first seen.
    let since: Moment?
  }

  /// A new UDP socket, and the end of the time-out of the wait for its answer.
  private struct Query: Sendable {
    let line: LineID
    var ends: Moment
  }

  /// In the order of their lines.
  private var queries: [Query] = []
  /// The sockets that were open when the program last slept, and those of the last observation.
  private var settled = SortedLines(), seen = SortedLines()
  private var sessionSince: Moment?
  private var hasSlept = false

  /// The sockets that are open now count as old.
  mutating func slept() {
    hasSlept = true
    queries = []
    settled = seen
    sessionSince = nil
  }

  /// The kernel's clock of a wait stands still in a freeze.
  mutating func wasFrozen(for time: Interval) {
    for index in queries.indices { queries[index].ends = queries[index].ends + time }
  }

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

  /// The sockets that a program has opened since it slept; nil when there are none.
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
    let open = observation.sources.filter { isNew($0) }.compactMap(\.line).sorted()
    let waits = observation.threads.filter { $0.wait == .sources }.compactMap(\.timeOut)
    let longest = waits.filter { $0 >= policy.tick && $0 <= policy.queryTime }.max()
    // A little longer, or the next observation would meet the thread on its way out of its wait.
    let ends = longest.map { now + $0 + policy.idleFirst }
    let isAwaited = waits.contains { $0 <= policy.queryTime }
    let earlier = queries
    queries = open.compactMap { query(on: $0, among: earlier, ends: ends, isAwaited: isAwaited, at: now) }
    guard let query = queries.first(where: { $0.ends > now }) else { return nil }
    let left = query.ends - now
    return .busy(.query, .query(query.line, left), retryAfter: left)
  }

  /// The query on a socket; nil when no thread waits for an answer there.
  private func query(
    on line: LineID, among earlier: [Query], ends: Moment?, isAwaited: Bool, at now: Moment
  ) -> Query? {
    let index = earlier.firstPlace { $0.line >= line }
    guard index < earlier.count, earlier[index].line == line else {
      return ends.map { Query(line: line, ends: $0) }
    }
    var query = earlier[index]
    if !isAwaited { query.ends = min(query.ends, now) }
    return query
  }
}
