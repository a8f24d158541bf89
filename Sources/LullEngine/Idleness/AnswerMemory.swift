/// The lines on which something came that the program has not answered. A server may answer at its own tick,
/// so the time-out in which it waits must run out once.
struct AnswerMemory: Sendable {
  private var timeOuts = TimeOutMemory()
  private var woken: LineID?
  /// The moment since which what came counts: the beginning of the last sleep.
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

  /// The kernel tells the last traffic of TCP connections alone. Of any other line it is known only that the
  /// line woke the program.
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
