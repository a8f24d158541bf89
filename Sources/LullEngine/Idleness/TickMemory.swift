/// Time-outs so short that a sleep between them would be no sleep.
struct TickMemory: Sendable {
  /// The last observation showed a time-out shorter than `tick`.
  private(set) var hasTicked = false

  /// A program that wakes more than once a second may be in a call, so it sleeps only once its lines are
  /// quiet. The kernel does not count the traffic of UDP sockets while the program is awake, so sockets that
  /// it has opened since it last slept, as a call does for its media, must have been there for longer.
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
    // The rest of a long time-out is short once: the next observation shows whether the time-out itself is
    // short.
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

/// The turns of the threads that serve a sound server's socket, at an earlier observation.
struct SoundMemory: Sendable {
  private var earlier: (count: UInt64, at: Moment)?

  /// Takes a stream of a sound server to run while the threads that serve the server's socket run.
  mutating func evaluate(_ observation: Observation, at now: Moment, policy: Policy) -> Finding? {
    guard let turns = observation.audioTurns else { return nil }
    // Threads that have ended no longer count.
    if let known = earlier, turns.count < known.count { earlier = nil }
    guard let known = earlier, now - known.at >= policy.quiet else {
      let left = earlier.map { policy.quiet - (now - $0.at) } ?? policy.quiet
      if earlier == nil { earlier = (turns.count, now) }
      return .busy(.sound, .sound(turns.server, isSure: false), retryAfter: left)
    }
    earlier = (turns.count, now)
    // An observation costs each thread a turn or two; a stream has ten and more in a second.
    let seconds = UInt64(clamping: (now - known.at).nanoseconds / 1_000_000_000)
    guard turns.count - known.count > 5 * (seconds + 1) else { return nil }
    return .busy(.sound, .sound(turns.server, isSure: true))
  }
}
