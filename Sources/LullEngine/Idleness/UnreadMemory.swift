/// What arrived and has not been taken. No condition of a wait may hold: what a thread waits for is asked as
/// that thread asked it. What it may look at after a nap counts as unread until it has been left alone for
/// long.
struct UnreadMemory: Sendable {
  /// Something unread, and until when a thread may still look at it.
  private struct Entry: Sendable {
    /// nil inside the program.
    let line: LineID?
    let trace: UInt64
    let until: Moment

    var order: (UInt32, UInt64) { (line?.number ?? 0, trace) }
  }

  /// In their order.
  private var entries: [Entry] = []
  private var doorbellSince: Moment?
  /// The first look since it slept that found a doorbell rung for which no thread waits.
  private var unansweredSince: Moment?

  /// The first source that is to be handled; nil when there is none.
  mutating func evaluate(
    _ observation: Observation, _ plan: inout WatchPlan, at now: Moment, policy: Policy
  ) -> Finding? {
    let patience = Self.patience(observation, policy)
    var first: Finding?
    var kept: [Entry] = []
    var rings = false
    for source in observation.sources where source.isReady && source.role != .member {
      if source.reach == .doorbell {
        rings = rings || source.role != .open
        first = first ?? doorbell(isAwaited: source.role != .open, now, policy)
      } else if source.role != .open {
        first = first ?? .busy(.unread, source.detail)
      } else {
        let entry = entry(source, now + patience)
        kept.append(entry)
        if source.isFull || entry.until > now {
          // Something is still sent there, or a thread may look when its nap is over.
          first = first ?? .busy(.unread, source.detail)
        } else if let line = source.line {
          plan.disregarded.append(line)
        }
      }
    }
    entries = kept.sorted { $0.order < $1.order }
    if !rings { doorbellSince = nil }
    return first
  }

  /// What is unread at a source; as before while it is the same.
  private func entry(_ source: WakeSource, _ until: Moment) -> Entry {
    let new = Entry(line: source.line, trace: source.trace, until: until)
    let index = entries.firstPlace { $0.order >= new.order }
    return index < entries.count && entries[index].order == new.order ? entries[index] : new
  }

  /// Whoever works may read what was unread, and as much may come again. Who makes its own doorbell ring
  /// again and again wins nothing by it.
  mutating func worked() { (entries, doorbellSince) = ([], nil) }

  mutating func slept() { unansweredSince = nil }

  /// A player that is paused need not look at its sound.
  private mutating func doorbell(isAwaited: Bool, _ now: Moment, _ policy: Policy) -> Finding? {
    let since = (isAwaited ? doorbellSince : unansweredSince) ?? now
    if isAwaited { doorbellSince = since } else { unansweredSince = since }
    return now - since >= policy.disregardAfter ? nil : .busy(.unread, .doorbell)
  }

  /// What is left unread longer than this, and longer than the longest nap, will not be read.
  private static func patience(_ observation: Observation, _ policy: Policy) -> Interval {
    let naps = observation.threads.compactMap(\.timeOut)
    guard let longest = naps.max() else { return policy.disregardAfter }
    return max(policy.disregardAfter, min(longest, policy.longestNap) + policy.quiet)
  }
}
