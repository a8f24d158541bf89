extension App {
  /// Each is done once in a sleep: a program that sleeps on for hours has no new memory to give back.
  mutating func careForMemory(_ turn: inout Turn) {
    guard isAsleep else { return }
    if let ticket = memory.beginsCompaction(&turn) { turn.perform(.compact(id, ticket)) }
    if memory.checksLocks(at: turn.now) { turn.perform(.checkLocks(id)) }
  }

  mutating func compacted(_ ticket: Ticket, with result: CompactionResult, _ turn: inout Turn) {
    guard let policy = turn.policy.processes,
      memory.compacted(ticket, result, at: turn.now, policy: policy),
      case .done(let before, let after) = result
    else { return }
    turn.note(id, .compacted(before: before, after: after))
  }

  /// A sleeper that has a lock would hold up the program that waits for it.
  mutating func lockAwaited(_ turn: inout Turn) {
    guard isStaying, isAsleep else { return }
    wake(.lock, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// A program that plays, records or is in a call keeps its weight: sound must not stutter. One that was
  /// given time is not bounded in it.
  mutating func weigh(_ turn: inout Turn) {
    guard turn.policy.processes != nil, isStaying, !registration.isUnmanaged else { return }
    let isHeard = !soundLeases().isEmpty || playbacks.contains(where: \.isRunning)
    var next: ProgramWeight = isInBackground && !isHeard ? .low : .full
    if next == .low, registration.settings.processorPercent != nil, isAwake, leases(turn.policy).isEmpty {
      next = .bounded
    }
    guard next != weight else { return }
    weight = next
    turn.perform(.weigh(id, next))
  }
}

struct MemoryCare: Sendable {
  private(set) var last: CompactionView?
  private var compactionDue = Moment.never
  private var compactionFloor: Moment?
  private var compaction: Ticket?
  private var lockCheckDue = Moment.never
  /// The number of wakes in a row for a lock.
  private var lockWakes: Int64 = 0

  var due: Moment { min(compactionDue, lockCheckDue) }

  mutating func slept(at now: Moment, allowsCompaction: Bool, _ policy: ProcessPolicy?) {
    guard let policy else { return }
    let due = now + policy.compactAfter
    // Nothing is done later in a sleep: memory that may not be given back by then stays for this sleep.
    if allowsCompaction, compactionFloor ?? due <= due { compactionDue = due }
    lockCheckDue = now + policy.lockCheck.doubled(lockWakes, atMost: policy.lockCheckLast)
  }

  mutating func woke(_ reason: WakeReason) {
    // A program that slept on after the look held nothing that others waited for.
    let wasChecked = lockCheckDue == .never
    if reason == .lock { lockWakes += 1 } else if wasChecked { lockWakes = 0 }
    (compactionDue, lockCheckDue, compaction) = (.never, .never, nil)
  }

  mutating func beginsCompaction(_ turn: inout Turn) -> Ticket? {
    guard compactionDue <= turn.now else { return nil }
    compactionDue = .never
    compaction = turn.newTicket()
    return compaction
  }

  /// Returns false for an answer that a wake has overtaken.
  mutating func compacted(
    _ ticket: Ticket, _ result: CompactionResult, at now: Moment, policy: ProcessPolicy
  ) -> Bool {
    guard compaction == ticket else { return false }
    compaction = nil
    switch result {
    case .done(let before, let after): last = CompactionView(moment: now, before: before, after: after)
    case .stopped: return true
    case .refused: break
    }
    compactionFloor = now + policy.compactAgain
    return true
  }

  mutating func checksLocks(at now: Moment) -> Bool {
    guard lockCheckDue <= now else { return false }
    lockCheckDue = .never
    return true
  }
}
