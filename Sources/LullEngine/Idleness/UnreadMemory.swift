/// Bytes and conditions that the program has not taken. No condition of a wait may hold, asked as the thread
/// itself asked. Bytes that a napping thread may read count as unread until they were left alone for long.
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
  /// The first observation since the last sleep that found a rung doorbell for which no thread waits.
  private var unansweredSince: Moment?

  mutating func evaluate(
    _ observation: Observation, _ plan: inout WatchPlan, at now: Moment, policy: Policy
  ) -> Finding? {
    let patience = Self.patience(observation, policy)
    var first: Finding?
    var next: [Entry] = []
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
        next.append(entry)
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
    entries = next.sorted { $0.order < $1.order }
    if !rings { doorbellSince = nil }
    return first
  }

  /// The old entry stays while the same bytes are unread.
  private func entry(_ source: WakeSource, _ until: Moment) -> Entry {
    let new = Entry(line: source.line, trace: source.trace, until: until)
    let index = entries.firstPlace { $0.order >= new.order }
    return index < entries.count && entries[index].order == new.order ? entries[index] : new
  }

  /// A thread that works may read the unread bytes, and as many may come again. A program that rings its own
  /// doorbell again and again wins nothing by it.
  mutating func worked() { (entries, doorbellSince) = ([], nil) }

  mutating func slept() { unansweredSince = nil }

  mutating func standStill(_ time: Interval) {
    for index in entries.indices { entries[index].until = entries[index].until + time }
    doorbellSince = doorbellSince.map { $0 + time }
    unansweredSince = unansweredSince.map { $0 + time }
  }

  /// A doorbell that rang keeps the program awake until `disregardAfter`: a paused player need not handle its
  /// sound.
  private mutating func doorbell(isAwaited: Bool, _ now: Moment, _ policy: Policy) -> Finding? {
    let since = (isAwaited ? doorbellSince : unansweredSince) ?? now
    if isAwaited { doorbellSince = since } else { unansweredSince = since }
    return now - since >= policy.disregardAfter ? nil : .busy(.unread, .doorbell)
  }

  /// Bytes that are unread after this time will not be read: the longest nap is over.
  private static func patience(_ observation: Observation, _ policy: Policy) -> Interval {
    let naps = observation.threads.compactMap(\.timeOut)
    guard let longest = naps.max() else { return policy.disregardAfter }
    return max(policy.disregardAfter, min(longest, policy.longestNap) + policy.quiet)
  }
}
