/// Time-outs so short that a sleep between them would be no sleep.
struct TickMemory: Sendable {
  /// True when the last observation showed a time-out shorter than `tick`.
  private(set) var hasTicked = false

  /// A program that wakes more than once a second may be in the middle of a call, so it sleeps only once its
  /// lines are quiet. The kernel does not count the traffic of UDP sockets while the program is awake. So
  /// sockets that the program has opened since it last slept, as a call does for its media, must have been
  /// there for longer.
  mutating func evaluate(
    _ observation: Observation, session: DatagramMemory.Session?, lastTraffic: Moment?, at now: Moment,
    policy: Policy
  ) -> Finding? {
    var timeOuts = observation.threads.compactMap(\.wholeTimeOut)
    if let timer = observation.timer { timeOuts.append(timer) }
    let ticks = timeOuts.filter { $0 < policy.tick }
    guard let wait = ticks.min(), let longest = ticks.max() else {
      hasTicked = false
      return nil
    }
    // The rest of a long time-out is short in the end, but only once: the next observation shows whether the
    // time-out is short itself.
    guard hasTicked else {
      hasTicked = true
      return .busy(.ticking, .tick(wait, isSession: false), retryAfter: longest + policy.idleFirst)
    }
    var quiet = observation.sources.compactMap(\.activity).map { min($0.sinceSent, $0.sinceReceived) }
    if let lastTraffic { quiet.append(now - lastTraffic) }
    if let since = session?.since { quiet.append(now - since) }
    let needed = session == nil ? policy.quiet : policy.sessionQuiet
    guard let shortest = quiet.min(), shortest < needed else { return nil }
    return .busy(.ticking, .tick(wait, isSession: session != nil))
  }
}
