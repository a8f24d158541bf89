/// Bytes and conditions that arrived and have not been taken. No condition of a wait may hold, asked as the
/// thread itself asked. What a napping thread may read counts as unread until it has been left alone for
/// long.
struct UnreadMemory: Sendable {
  /// Something unread, and the moment until which a thread may still read it.
  private struct Entry: Sendable {
    /// The line; nil for a source inside the program.
    let line: LineID?
    let trace: UInt64
    var until: Moment

    var order: (UInt32, UInt64) { (line?.number ?? 0, trace) }
  }

  private var entries: [Entry] = []
  private var doorbellSince: Moment?
  /// The first observation since the program slept that found a doorbell rung for which no thread waits.
  private var unansweredSince: Moment?

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
      } else if source.isTold {
        if let line = source.line { plan.disregarded.append(line) }
      } else {
        let entry = entry(source, now + patience)
        kept.append(entry)
        // A JVM keeps a socket whose other end it has closed, to put it in the place of those that it closes.
        let isSettled = source.reach == .inside && source.isAtEnd
        if source.isFull || (entry.until > now && !isSettled) {
          // Bytes are still being sent there, or a thread may read the source when its nap is over.
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

  /// The entry of a source; the old entry while what is unread is the same.
  private func entry(_ source: WakeSource, _ until: Moment) -> Entry {
    let new = Entry(line: source.line, trace: source.trace, until: until)
    let index = entries.firstPlace { $0.order >= new.order }
    return index < entries.count && entries[index].order == new.order ? entries[index] : new
  }

  /// A thread that works may read what was unread, and as much may come again. A program that rings its own
  /// doorbell again and again wins nothing by it.
  mutating func worked() { (entries, doorbellSince) = ([], nil) }

  mutating func slept() { unansweredSince = nil }

  mutating func standStill(_ time: Interval) {
    for index in entries.indices { entries[index].until = entries[index].until + time }
    doorbellSince = doorbellSince.map { $0 + time }
    unansweredSince = unansweredSince.map { $0 + time }
  }

  /// The refusal for a doorbell that rang; none after `disregardAfter`, since a paused player need not handle
  /// its sound.
  private mutating func doorbell(isAwaited: Bool, _ now: Moment, _ policy: Policy) -> Finding? {
    let since = (isAwaited ? doorbellSince : unansweredSince) ?? now
    if isAwaited { doorbellSince = since } else { unansweredSince = since }
    return now - since >= policy.disregardAfter ? nil : .busy(.unread, .doorbell)
  }

  /// The time after which unread bytes will not be read: longer than this bound, and longer than the longest
  /// nap.
  private static func patience(_ observation: Observation, _ policy: Policy) -> Interval {
    let naps = observation.threads.compactMap(\.timeOut)
    guard let longest = naps.max() else { return policy.disregardAfter }
    return max(policy.disregardAfter, min(longest, policy.longestNap) + policy.quiet)
  }
}
