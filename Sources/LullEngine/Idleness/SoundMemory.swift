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
