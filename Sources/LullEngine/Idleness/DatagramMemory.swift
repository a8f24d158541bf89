/// The UDP sockets of a program: new ones may belong to a query or to a call.
struct DatagramMemory: Sendable {
  /// Sockets that were not there when the program last slept.
  struct Session: Sendable {
    /// When the last of them was first seen.
    let since: Moment?
  }

  /// A new UDP socket, and when the time-out of the wait for its answer has run out.
  private struct Query: Sendable {
    let line: LineID
    var ends: Moment
  }

  /// In the order of their lines.
  private var queries: [Query] = []
  /// Those that were there when the program last slept, and those that the last look saw.
  private var settled = SortedLines(), seen = SortedLines()
  private var sessionSince: Moment?
  private var hasSlept = false

  /// What is open now is nothing new.
  mutating func slept() {
    hasSlept = true
    queries = []
    settled = seen
    sessionSince = nil
  }

  mutating func standStill(_ time: Interval) {
    for index in queries.indices { queries[index].ends = queries[index].ends + time }
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

  /// A socket that was not there when the program last slept; before its first sleep one that has a peer,
  /// since servers have none.
  private func isNew(_ source: WakeSource) -> Bool {
    guard case .udp(let hasPeer) = source.transport, let line = source.line, source.reach == .outside else {
      return false
    }
    return hasSlept ? !settled.contains(line) : hasPeer
  }

  /// A query that was just sent over a new UDP socket may be lost, and then only the end of its time-out
  /// sends it again: it must run out once.
  mutating func queryDue(_ observation: Observation, at now: Moment, policy: Policy) -> Finding? {
    let open = observation.sources.filter { isNew($0) }.compactMap(\.line).sorted()
    let waits = observation.threads.filter { $0.wait == .sources }.compactMap(\.timeOut)
    let longest = waits.filter { $0 >= policy.tick && $0 <= policy.queryTime }.max()
    // A little longer, or the next look would meet the thread on its way out of its wait.
    let ends = longest.map { now + $0 + policy.idleFirst }
    let isAwaited = waits.contains { $0 <= policy.queryTime }
    let earlier = queries
    queries = open.compactMap { query(on: $0, earlier, ends, isAwaited, now) }
    guard let query = queries.first(where: { $0.ends > now }) else { return nil }
    let left = query.ends - now
    return .busy(.query, .query(query.line, left), retryAfter: left)
  }

  /// What is known of a socket; nil when nothing is waited for there.
  private func query(
    on line: LineID, _ earlier: [Query], _ ends: Moment?, _ isAwaited: Bool, _ now: Moment
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
