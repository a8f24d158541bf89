/// An episode of pressure on memory: from its first report to a time without any. Reports carry it on; its
/// own deadlines are the end of a measurement and the relief.
struct MemoryEpisode: Sendable {
  struct Measurement: Sendable {
    let ticket: Ticket
    let level: MemoryPressure
    var limit: Moment
  }

  /// The worst level so far.
  private(set) var level: MemoryPressure
  private(set) var measurement: Measurement?
  private var reported: Moment
  /// A report before this moment is about the time before the last step.
  private var settled: Moment
  private var hasPurged = false
  /// The levels of which the journal has said that nothing is left to be purged.
  private var exhausted: [MemoryPressure] = []
  private var rest: Interval?
  private var resting: (level: MemoryPressure, ends: Moment)?

  /// The programs that run are warned first; critical pressure does not wait for what they do.
  init(_ level: MemoryPressure, at now: Moment, _ policy: PressurePolicy) {
    (self.level, reported) = (level, now)
    settled = level == .critical ? now : now + policy.settling
  }

  func deadline(_ policy: PressurePolicy) -> Moment {
    measurement?.limit ?? (max(reported, resting?.ends ?? reported) + policy.relief)
  }

  /// Returns true when the pressure is worse than before.
  mutating func takes(_ level: MemoryPressure, at now: Moment) -> Bool {
    reported = now
    guard level > self.level else { return false }
    self.level = level
    if !hasPurged { settled = min(settled, now) }
    return true
  }

  func callsForStep(_ level: MemoryPressure, at now: Moment) -> Bool {
    guard measurement == nil, now >= settled else { return false }
    return resting.map { level > $0.level || now >= $0.ends } ?? true
  }

  mutating func measures(_ level: MemoryPressure, _ ticket: Ticket, until limit: Moment) {
    measurement = Measurement(ticket: ticket, level: level, limit: limit)
  }

  mutating func measured(at now: Moment, didPurge: Bool, _ policy: PressurePolicy) {
    measurement = nil
    guard didPurge else { return }
    hasPurged = true
    settled = now + policy.settling
    (rest, resting) = (nil, nil)
  }

  /// Returns the rest of the triggers, and whether this level is exhausted for the first time.
  mutating func isExhausted(
    _ level: MemoryPressure, at now: Moment, _ policy: PressurePolicy
  ) -> (rest: Interval, isNew: Bool) {
    let next = rest.map { min($0.scaled(by: 2), policy.restLast) } ?? policy.restFirst
    rest = next
    resting = (level, now + next)
    let isNew = !exhausted.contains(level)
    if isNew { exhausted.append(level) }
    return (next, isNew)
  }

  mutating func standStill(_ time: Interval) {
    reported = reported + time
    settled = settled + time
    if let old = resting { resting = (old.level, old.ends + time) }
    if let limit = measurement?.limit { measurement?.limit = limit + time }
  }
}

/// The memory that a program holds, in bytes.
public struct MemorySize: Equatable, Sendable {
  /// The program.
  public let id: AppID
  /// The proportional share of its processes, in memory and in the swap.
  public let bytes: Int64

  /// A program with its size.
  public init(_ id: AppID, bytes: Int64) { (self.id, self.bytes) = (id, max(0, bytes)) }
}
