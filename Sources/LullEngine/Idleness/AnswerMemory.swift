/// The lines on which something came that the program has not answered. A server may answer at its own tick,
/// so the time-out of its wait must run out once.
struct AnswerMemory: Sendable {
  private var timeOuts = TimeOutMemory()
  private var woken: LineID?
  /// The beginning of the last sleep: older bytes do not count.
  private var since: Moment?

  init(since: Moment? = nil) { self.since = since }

  mutating func slept(at now: Moment) { self = AnswerMemory(since: now) }

  mutating func woke(by line: LineID) { woken = line }

  mutating func wasFrozen(for time: Interval) { timeOuts.wasFrozen(for: time) }

  mutating func standStill(_ time: Interval) {
    wasFrozen(for: time)
    since = since.map { $0 + time }
  }

  mutating func answerOwed(_ observation: Observation, at now: Moment, policy: Policy) -> Finding? {
    // The kernel counts in steps of up to 10 ms.
    let age = since.map { now - $0 + policy.idleFirst }
    let owing = observation.sources.filter { isOwing($0, cameWithin: age) }.compactMap(\.line)
    guard
      let (line, left) = timeOuts.running(
        for: owing, among: observation.threads, timer: observation.timer, upTo: policy.answerTime, at: now,
        policy: policy)
    else { return nil }
    return .busy(.answering, .query(line, left), retryAfter: left)
  }

  /// The kernel tells the last traffic only of TCP connections. Of any other line it is known only whether
  /// the line woke the program.
  private func isOwing(_ source: WakeSource, cameWithin age: Interval?) -> Bool {
    guard source.reach == .outside else { return false }
    guard let activity = source.activity else { return woken != nil && source.line == woken }
    return activity.isEstablished && activity.isUnanswered
      && age.map { activity.sinceReceived <= $0 } != false
  }
}

extension WakeSource.Activity {
  var isUnanswered: Bool { !hasSent || sinceReceived < sinceSent }
}

/// Time-outs that must run out once before the program sleeps: only at their end a lost query is sent again,
/// or an answer.
struct TimeOutMemory: Sendable {
  private struct Entry: Sendable {
    let line: LineID
    /// The end of the time-out that was seen when the line was first waited for.
    var ends: Moment
  }

  /// In the order of their lines.
  private var entries: [Entry] = []

  mutating func slept() { entries = [] }

  /// The kernel's clock of a wait stands still in a freeze.
  mutating func wasFrozen(for time: Interval) {
    for index in entries.indices { entries[index].ends = entries[index].ends + time }
  }

  /// The first line whose time-out still runs, with the rest of it. The time-out of a line is the longest one
  /// up to the limit.
  mutating func running(
    for lines: [LineID], among threads: [ObservedThread], timer: Interval? = nil, upTo limit: Interval,
    at now: Moment, policy: Policy
  ) -> (line: LineID, left: Interval)? {
    func rests(_ threads: [ObservedThread]) -> [Interval] {
      (threads.map(\.timeOut) + [timer]).compactMap(\.self).filter { $0 <= limit }
    }
    // An observation at the very end would meet the thread on its way out of its wait.
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
