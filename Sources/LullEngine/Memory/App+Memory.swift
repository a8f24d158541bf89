extension App {
  /// A program that sleeps on for hours has no new memory to give back.
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

  /// A sleeper that keeps a lock holds up whoever waits for it.
  mutating func lockAwaited(_ turn: inout Turn) {
    guard isStaying, isAsleep else { return }
    wake(.lock, line: nil, for: turn.policy.wakeRunTime, &turn)
  }

  /// A program that plays, records or is in a call keeps its weight: sound must not stutter.
  mutating func weigh(_ turn: inout Turn) {
    guard turn.policy.processes != nil, isStaying, !registration.isUnmanaged else { return }
    let isBehind = state == .background || state == .suspended
    let isHeard = !soundLeases().isEmpty || playbacks.contains(where: \.isRunning)
    let next: ProgramWeight = isBehind && !isHeard ? .low : .full
    guard next != weight else { return }
    weight = next
    turn.perform(.weigh(id, next))
  }
}
