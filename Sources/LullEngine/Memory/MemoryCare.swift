struct MemoryCare: Sendable {
  private(set) var last: CompactionView?
  private var compactionDue = Moment.never
  private var compactionFloor: Moment?
  private var compaction: Ticket?
  private var lockCheckDue = Moment.never
  /// Wakes for a lock, one after the other.
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

  /// The answer comes with the ticket.
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
