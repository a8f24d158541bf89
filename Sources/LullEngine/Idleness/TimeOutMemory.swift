/// Time-outs that must run out once before the program sleeps: only their end sends a lost query again, or
/// the answer to what came.
struct TimeOutMemory: Sendable {
  /// A line, and the end of the time-out that was seen when the line was first waited for.
  private struct Entry: Sendable {
    let line: LineID
    var ends: Moment
  }

  /// In the order of their lines.
  private var entries: [Entry] = []

  mutating func slept() { entries = [] }

  /// The kernel's clock of a wait stands still in a freeze.
  mutating func wasFrozen(for time: Interval) {
    for index in entries.indices { entries[index].ends = entries[index].ends + time }
  }

  /// The first of the lines whose time-out still runs, and the rest of it. A line's time-out is the longest
  /// one up to the limit.
  mutating func running(
    for lines: [LineID], among threads: [ObservedThread], timer: Interval? = nil, upTo limit: Interval,
    at now: Moment, policy: Policy
  ) -> (line: LineID, left: Interval)? {
    func rests(_ threads: [ObservedThread]) -> [Interval] {
      (threads.map(\.timeOut) + [timer]).compactMap(\.self).filter { $0 <= limit }
    }
    // A little longer, or the next observation would meet the thread on its way out of its wait.
    let ends = rests(threads.longWaits(policy)).max().map { now + $0 + policy.idleFirst }
    let isAwaited = !rests(threads).isEmpty
    let earlier = entries
    entries = lines.sorted().compactMap { line in
      let index = earlier.firstPlace { $0.line >= line }
      guard index < earlier.count, earlier[index].line == line else {
        return ends.map { Entry(line: line, ends: $0) }
      }
      var entry = earlier[index]
      if !isAwaited { entry.ends = min(entry.ends, now) }
      return entry
    }
    return entries.first { $0.ends > now }.map { ($0.line, $0.ends - now) }
  }
}
