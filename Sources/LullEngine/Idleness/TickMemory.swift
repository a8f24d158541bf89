/// Time-outs so short that a sleep between them would be none.
struct TickMemory: Sendable {
  /// The last look saw a time-out of a tick.
  private var hasTicked = false

  /// A program that wakes more than once a second may be in the middle of a call: it sleeps once its lines
  /// are quiet. What comes and goes on a UDP socket while it is awake the kernel does not count, so sockets
  /// that it has opened since it last slept, as a call does for its media, must have been there for longer.
  mutating func evaluate(
    _ observation: Observation, _ session: DatagramMemory.Session?, _ lastTraffic: Moment?, at now: Moment,
    policy: Policy
  ) -> Finding? {
    var timeOuts = observation.threads.compactMap(\.wholeTimeOut)
    if let timer = observation.timer { timeOuts.append(timer) }
    let ticks = timeOuts.filter { $0 < policy.tick }
    guard let wait = ticks.min(), let longest = ticks.max() else {
      hasTicked = false
      return nil
    }
    // What is left of a long time-out is short in the end: once, and not again and again.
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
